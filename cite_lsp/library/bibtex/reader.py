"""What a BibTeX record says: its fields, the paper they describe, and where some of them stand."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cite_lsp.library.bibtex.crossref import inherited
from cite_lsp.library.bibtex.field_positions import located_fields
from cite_lsp.library.bibtex.roles import PROCEEDINGS, members_of
from cite_lsp.library.bibtex.values import assignments
from cite_lsp.library.entries import Record, RecordReader
from cite_lsp.library.text.metadata import paper_of
from cite_lsp.paper import LONGEST_FIELD, Paper


def _fields(record: Record) -> Mapping[str, str]:
    """Read the fields of a record by lower-case name, in order; never raises.

    Enclosing braces or quotes are removed, macros and `#` resolved, runs of blanks made one; LaTeX
    stays. Of fields with the same name the first that says something counts, and of a very long one
    its beginning. A macro that the file does not define stays as its name. Fields inherited by
    `crossref` and `xdata` come behind the record's own. A `booktitle` of proceedings is their title
    as well, if they have no other.
    """
    fields: dict[str, str] = {}
    for name, value in assignments(record.raw, record.key_at + len(record.key), record.macros):
        if not fields.get(name):
            fields[name] = " ".join(value[:LONGEST_FIELD].split())
    fields = inherited(record, fields) if record.parents else fields
    if record.kind in PROCEEDINGS and not fields.get("title") and fields.get("booktitle"):
        fields["title"] = fields["booktitle"]
    return MappingProxyType(fields)


def _paper(record: Record) -> Paper:
    members = members_of(record)
    fields = members[0].fields if members else record.fields
    if record.kind in PROCEEDINGS and fields.get("title") == fields.get("booktitle"):
        fields = {name: value for name, value in fields.items() if name != "booktitle"}
    return paper_of(fields, record.key)


BIBTEX = RecordReader(_fields, _paper, located_fields)
"""Reads records of BibTeX and biblatex files."""
