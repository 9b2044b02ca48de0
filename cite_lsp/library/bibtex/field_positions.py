"""The fields of a BibTeX record that name keys or places, and where in it they stand."""

from __future__ import annotations

from cite_lsp.library.bibtex.values import Field, fields_of
from cite_lsp.library.entries import Record

OF_KEYS = ("crossref", "xdata", "xref", "related", "entryset")
"""Fields that name other entries."""
OF_ADDRESSES = ("doi", "eprint", "url", "file", "pdf")
"""Fields that say where a work can be read."""
_LOCATED = frozenset((*OF_KEYS, *OF_ADDRESSES, "ids"))
"""All other fields are left out, abstracts among them: a large library keeps what is located."""


def located_fields(record: Record) -> tuple[Field, ...]:
    """Read the fields of a record that name keys or places, in order; never raises.

    A value that only looks like a field, as in an abstract, is none.
    """
    start = record.key_at + len(record.key)
    fields = fields_of(record.raw, start, record.macros)
    return tuple(field for field in fields if field.name in _LOCATED)


def value_position(record: Record, field: Field) -> tuple[int, int] | None:
    """Return where in a record the value of a field stands, without its delimiters.

    None where macros, or several parts joined by `#`, make up the value.
    """
    for start in (field.value_at, field.value_at + 1):
        if record.raw.startswith(field.value, start):
            return start, start + len(field.value)
    return None
