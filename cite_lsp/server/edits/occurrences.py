"""The places of a key: the one under the cursor, and all in the files that share it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import frozen
from lsprotocol import types

from cite_lsp.library import Library
from cite_lsp.library.bibtex.relations import Relation, aliases, keys_of, relations
from cite_lsp.library.entries import Bibliography, Entry, Source
from cite_lsp.project.citations import keys_in
from cite_lsp.project.workspace import Scope, library_around
from cite_lsp.server.session.request import Request


@frozen
class NamedKey:
    """A key under the cursor: its range in the document and its entry, if there is one."""

    key: str
    start: int
    end: int
    entry: Entry | None

    @property
    def name(self) -> str:
        """The key as its entry has it, or the one of its aliases that it is."""
        entry = self.entry
        return entry.key if entry and entry.key.lower() == self.key.lower() else self.key

    @property
    def names(self) -> tuple[str, ...]:
        """All keys of the entry that it names, the entry's own first."""
        return keys_of(self.entry) if self.entry is not None else (self.key,)


@frozen
class Occurrence:
    """A place where a key is written; `defining` is that of its entry, or in the entry's `ids`.

    `source` is that of the entry whose own key it is.
    """

    path: Path
    start: int
    end: int
    defining: bool = False
    source: Source | None = None


def key_at(request: Request, position: types.Position) -> NamedKey | None:
    """Return the key at a position of a draft or a .bib file, None where there is none."""
    offset = request.offset(position)
    if request.is_bibliography:
        return _in_bibliography(
            request.bibliography(),
            offset,
            lambda key: library_around(request.surroundings, [key]).get(key),
        )
    draft = request.draft()
    marker = draft.manuscript.marker_at(offset)
    aside = (key for other in draft.manuscript.markers_outside_prose for key in other.keys)
    for key in (*(marker.keys if marker else ()), *aside):
        if key.start <= offset <= key.end:
            return NamedKey(key.text, key.start, key.end, draft.library.get(key.text))
    for inline in draft.project.inline:
        if inline.path == draft.path:
            return _in_bibliography(inline, offset, draft.library.get)
    return None


def library_of(request: Request) -> Library:
    """Return the library of a draft, or of a bibliography that file alone."""
    if request.is_bibliography:
        return request.recommender.reader.library([request.path])
    return request.draft().library


def entry_around(bibliography: Bibliography, offset: int) -> Entry | None:
    """Return the entry of a bibliography that an offset lies in."""
    entries = bibliography.entries
    number = bisect_right(entries, offset, key=lambda entry: entry.start) - 1
    return entries[number] if number >= 0 and offset <= entries[number].end else None


def occurrences(scope: Scope, key: str) -> Iterator[Occurrence]:
    """Yield the places of a key in drafts and bibliographies, its entries first.

    Written with other capitals it is the same key, unless that has an entry of its own.
    """
    entries = [entry for file in scope.bibliographies for entry in file.entries]
    others = {entry.key for entry in entries} - {key}
    lower = key.lower()

    def is_named(text: str) -> bool:
        return text.lower() == lower and text not in others

    for entry in entries:
        if entry.key == key:
            yield Occurrence(entry.path, entry.key_start, entry.key_end, True, entry.source)
    for entry in entries:
        if lower in entry.raw.lower():
            for place in _named_in(entry):
                if is_named(place.key):
                    defining = place.field == "ids"
                    yield Occurrence(entry.path, place.start, place.end, defining)
    for path, manuscript in scope.drafts:
        for cited in keys_in(manuscript):
            if is_named(cited.text):
                yield Occurrence(path, cited.start, cited.end)


def _named_in(entry: Entry) -> Iterator[Relation]:
    """Yield the keys in the fields of an entry: its own further ones, and those of others."""
    yield from aliases(entry)
    yield from relations(entry)


def _in_bibliography(
    bibliography: Bibliography, offset: int, find: Callable[[str], Entry | None]
) -> NamedKey | None:
    """Return the key at an offset of a bibliography; `find` gives the entries that it may name."""
    entry = entry_around(bibliography, offset)
    if entry is None:
        return None
    if entry.key_start <= offset <= entry.key_end:
        return NamedKey(entry.key, entry.key_start, entry.key_end, entry)
    for place in _named_in(entry):
        if place.start <= offset <= place.end:
            target = entry if place.field == "ids" else find(place.key)
            return NamedKey(place.key, place.start, place.end, target)
    return None
