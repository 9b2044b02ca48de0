"""Keys that the entries of a .bib file name: `crossref`, `xdata`, `xref`, `related`, `entryset`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from cite_lsp.library.bibtex.field_positions import OF_KEYS, spelt_out
from cite_lsp.library.model import Entry

_NAMES = "|".join(OF_KEYS)
_PERHAPS = re.compile(rf"(?:{_NAMES})\s*=")
_UNFINISHED = re.compile(rf"[\s,{{]({_NAMES})\s*=\s*[{{\"]([^{{}}\"\n=]*)\Z", re.IGNORECASE)
_KEY = re.compile(r"[^\s,](?:[^,\n]*[^\s,])?")
_REACH = 1000
"""Characters before the cursor that the list of keys may have begun in."""


@frozen
class Relation:
    """A key that an entry names: in which field, and where in its file."""

    field: str
    key: str
    start: int
    end: int


@frozen
class RelationSite:
    """The place in a field of keys where one is being typed.

    `start`:`cursor` is what has been typed, `end` is where the key under the cursor ends.
    """

    field: str
    start: int
    cursor: int
    end: int
    typed: str


def relations(entry: Entry) -> Iterator[Relation]:
    """Yield the keys that an entry names, in order, but for those that macros stand for."""
    lower = entry.raw.lower()  # a search of which is faster than one that knows no case
    if not (any(name in lower for name in OF_KEYS) and _PERHAPS.search(lower)):
        return
    for field in entry.record.located:
        place = spelt_out(entry.record, field) if field.name in OF_KEYS else None
        for key in _KEY.finditer(entry.raw, *place) if place else ():
            yield Relation(
                field.name, key.group(), entry.start + key.start(), entry.start + key.end()
            )


def relation_site(text: str, offset: int) -> RelationSite | None:
    """Return the place at an offset of a .bib file where a related key is typed, or None."""
    found = _UNFINISHED.search(text[max(offset - _REACH, 0) : offset])
    if found is None:
        return None
    typed = found[2].rpartition(",")[2].lstrip()
    after = re.compile(r"[^\s,{}\"]*").match(text, offset)
    end = after.end() if after else offset
    return RelationSite(found[1].lower(), offset - len(typed), offset, end, typed)
