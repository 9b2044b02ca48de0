"""Keys that the entries of a .bib file name: in fields of keys, in citations, in `xdata=`.

And the alias keys that biblatex's `ids` gives to an entry, so that old citations still work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.field_positions import OF_KEYS, value_position
from cite_lsp.library.bibtex.values import fields_of
from cite_lsp.library.bibtex.xdata import data_references, names_data
from cite_lsp.library.entries import Entry
from cite_lsp.manuscript.latex.commands.citation_commands import markers_in

_NAMES = "|".join(OF_KEYS)
_PERHAPS = lazy_re(rf"(?:{_NAMES})\s*=")
_ALIASES = lazy_re(r"ids\s*=")
_CITES = lazy_re(r"\\[A-Za-z]*cite", re.IGNORECASE)
_PRINTED = frozenset(
    """note addendum titleaddon booktitleaddon maintitleaddon title subtitle booktitle booksubtitle
    maintitle journaltitle journal issuetitle eventtitle eventtitleaddon howpublished series
    publisher organization institution school type edition version pubstate pages pagetotal
    origtitle venue author editor bookauthor translator""".split()
)
"""Fields that styles print; what others cite, as abstracts do, is not printed and may be of the
paper's own bibliography."""
_UNFINISHED = lazy_re(rf"[\s,{{]({_NAMES})\s*=\s*[{{\"]([^{{}}\"\n=]*)\Z", re.IGNORECASE)
_KEY = lazy_re(r"[^\s,](?:[^,\n]*[^\s,])?")
_REACH = 1000
"""Characters before the cursor that the list of keys may have begun in."""


@frozen
class Relation:
    """A key that an entry names: in which field, and where in its file.

    With `used`, what it names is printed, or taken from, where the entry is.
    """

    field: str
    key: str
    start: int
    end: int
    used: bool = True


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
    r"""Yield the keys that an entry names, but for those that macros stand for.

    Those of fields of keys come in order, then those that are cited (`note = {See \cite{a}}`) or
    that data is taken from (`xdata=a-title`).
    """
    lower = entry.raw.lower()  # a search of which is faster than one that knows no case
    if any(name in lower for name in OF_KEYS) and _PERHAPS.search(lower):
        yield from _listed(entry, OF_KEYS)
    cites = "cite" in lower and _CITES.search(entry.raw) is not None
    if cites or names_data(entry.raw):
        yield from _in_other_fields(entry)


def _listed(entry: Entry, names: tuple[str, ...]) -> Iterator[Relation]:
    """Yield the keys that are listed in the fields of some names."""
    for field in entry.record.located:
        place = value_position(entry.record, field) if field.name in names else None
        for key in _KEY.finditer(entry.raw, *place) if place else ():
            yield Relation(
                field.name, key.group(), entry.start + key.start(), entry.start + key.end()
            )


def _in_other_fields(entry: Entry) -> Iterator[Relation]:
    record, at = entry.record, entry.start
    for field in fields_of(record.raw, record.key_at + len(record.key), {}):
        if field.name in OF_KEYS:
            continue
        for data in data_references(record.raw, field.value_at, field.end):
            yield Relation(field.name, data.key, at + data.start, at + data.end)
        for marker in markers_in(record.raw, field.value_at, field.end, {}):
            for key in marker.keys:
                used = field.name in _PRINTED
                yield Relation(field.name, key.text, at + key.start, at + key.end, used)


def relation_site(text: str, offset: int) -> RelationSite | None:
    """Return the place at an offset of a .bib file where a related key is typed, or None."""
    match = _UNFINISHED.search(text[max(offset - _REACH, 0) : offset])
    if match is None:
        return None
    typed = match[2].rpartition(",")[2].lstrip()
    after = re.compile(r"[^\s,{}\"]*").match(text, offset)
    end = after.end() if after else offset
    return RelationSite(match[1].lower(), offset - len(typed), offset, end, typed)


def keys_of(entry: Entry) -> tuple[str, ...]:
    """Return the keys of an entry, its own first and then its aliases, each once."""
    return tuple(dict.fromkeys((entry.key, *(alias.key for alias in aliases(entry)))))


def aliases(entry: Entry) -> Iterator[Relation]:
    """Yield the further keys of an entry, in order; the fields of most are not parsed for it."""
    text = entry.raw
    # Most have no such letters at all, which is found out ten times faster than by the pattern.
    if ("ids" in text and _ALIASES.search(text)) or "IDS" in text:
        yield from _listed(entry, ("ids",))
