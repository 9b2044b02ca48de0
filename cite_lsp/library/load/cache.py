"""The entries that a draft can cite, and a cache that reads again only the files that changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from types import MappingProxyType

from attrs import frozen

from cite_lsp.library.bibtex.crossref import link
from cite_lsp.library.bibtex.incremental import BibtexText, read_text
from cite_lsp.library.bibtex.macros import with_earlier_macros
from cite_lsp.library.bibtex.relations import aliases
from cite_lsp.library.entries import Bibliography, Entry, Problem
from cite_lsp.library.formats.zotero_part import WHOLE, ZoteroPart
from cite_lsp.library.load.partial_writes import FileSnapshot, snapshot_of
from cite_lsp.library.load.read import DATA_SUFFIXES, Reader
from cite_lsp.library.match.identifiers import doi_of_key
from cite_lsp.library.text.display import seen_from
from cite_lsp.storage.caches import LastUsed, Turns
from cite_lsp.storage.regular_files import LARGEST_TEXT
from cite_lsp.storage.stamps import stamp

_MOST_LIBRARIES = 32
_LARGEST_LIBRARY = 2 * LARGEST_TEXT
"""Bytes of all bibliographies of a draft."""
_MOST_ENTRIES = 50_000
"""Entries, some 3 kB each, from which on files that no cached library uses are dropped."""
_looking_through = Lock()
"""Held so that two requests do not both look through a whole library, each at half the speed."""


@frozen(eq=False)
class Library:
    """The entries from every bibliography of a draft; of those with the same key the first counts.

    Two libraries are equal only if they are the same object. One that goes `by_doi` takes a DOI for
    a key, as MyST does. `zotero` is the part that counts of Zotero's database.
    """

    bibliographies: tuple[Bibliography, ...] = ()
    by_doi: bool = False
    zotero: ZoteroPart = WHOLE

    @cached_property
    def by_key(self) -> Mapping[str, Entry]:
        """The entries by key, as written, in order."""
        entries: dict[str, Entry] = {}
        for bibliography in self.bibliographies:
            for entry in bibliography.entries:
                entries.setdefault(entry.key, entry)
        if len(self.bibliographies) > 1:
            renewed = False
            for entry in with_earlier_macros(self.bibliographies):
                counting = entries[entry.key]
                if (counting.path, counting.start) == (entry.path, entry.start):
                    entries[entry.key], renewed = entry, True
            for entry in self._linked_across_files(entries, again=renewed):
                entries[entry.key] = entry
        return MappingProxyType(entries)

    def _linked_across_files(self, by_key: Mapping[str, Entry], *, again: bool) -> list[Entry]:
        """Return the entries that inherit from one of another file, with what they inherit.

        With `again`, those that inherit from one of their own file too: it has changed.
        """
        waiting = [
            entry
            for entry in by_key.values()
            if len(entry.record.parents) < len(entry.record.links) or (again and entry.record.links)
        ]
        if not waiting:
            return []
        records = {entry.key.lower(): entry.record for entry in reversed(list(by_key.values()))}
        return [entry for _, entry in link(waiting, records.get)]

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The entries in the order of the bibliographies, each key once."""
        return tuple(self.by_key.values())

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong in the bibliographies, file by file, and between them."""
        file_problems = tuple(
            problem for bibliography in self.bibliographies for problem in bibliography.problems
        )
        return file_problems + tuple(self._duplicate_keys())

    def _duplicate_keys(self) -> Iterator[Problem]:
        """Report the keys that an earlier file has for another record.

        The same record in two files is no problem: a project may hold a copy of a part of the
        writer's library.
        """
        if len(self.bibliographies) < 2:
            return
        earlier: dict[str, Entry] = {}
        for bibliography in self.bibliographies:
            file_entries: dict[str, Entry] = {}
            for entry in bibliography.entries:
                key, folded = entry.key, entry.key.lower()
                first = earlier.get(key) or earlier.get(folded)
                if first is None:
                    file_entries.setdefault(key, entry)
                    file_entries.setdefault(folded, entry)
                elif first.raw.split() != entry.raw.split() or not entry.raw:
                    place = f"{seen_from(entry.path, first.path)}, line {first.line}"
                    message = f'the key "{key}" is already used in {place}'
                    remedy = ": rename or remove one"
                    yield Problem(entry.path, entry.line, message + remedy, first.key != key)
            for key, entry in file_entries.items():
                earlier.setdefault(key, entry)

    @cached_property
    def _by_folded_key(self) -> Mapping[str, Entry]:
        # In no loop, as who types the first letters of a key waits for it; the first entry counts.
        keys = reversed(tuple(self.by_key))
        return dict(zip(map(str.casefold, keys), reversed(self.entries), strict=True))

    def _perhaps_aliased(self) -> Iterator[Entry]:
        paths = {of_file.path for of_file in self.bibliographies if of_file.aliased}
        return (entry for entry in self.entries if entry.path in paths) if paths else iter(())

    @cached_property
    def _by_alias(self) -> Mapping[str, Entry]:
        entries: dict[str, Entry] = {}
        for entry in self._perhaps_aliased():
            for alias in aliases(entry):
                entries.setdefault(alias.key, entry)
        return entries

    def get(self, key: str) -> Entry | None:
        """Return the entry that a key means: with it, with it in another case, as BibTeX does.

        Where there is none, the entry that biblatex's `ids` gives this key to.
        """
        entry = self.by_key.get(key) or self._in_another_case(key) or self._with_alias(key)
        if entry is None and self.by_doi and (doi := doi_of_key(key)):
            return self._by_doi.get(doi)
        return entry

    @cached_property
    def _by_doi(self) -> Mapping[str, Entry]:
        return {
            entry.paper.doi.lower(): entry for entry in reversed(self.entries) if entry.paper.doi
        }

    def exact(self, key: str) -> Entry | None:
        """Return the entry with this very key, or that biblatex's `ids` gives it to."""
        return self.by_key.get(key) or self._with_alias(key)

    def _in_another_case(self, key: str) -> Entry | None:
        with _looking_through:
            return self._by_folded_key.get(key.casefold())

    def _with_alias(self, key: str) -> Entry | None:
        with _looking_through:
            return self._by_alias.get(key)


class LibraryCache:
    """Loads libraries. Thread-safe; what has not changed stays the same object.

    A file has changed when time, size or inode of what its path leads to has: editors and reference
    managers replace files, and links point elsewhere from one moment to the next. One that seems
    half written is taken as it is once it has rested; until then it counts as it was before.
    """

    def __init__(self, buffer: Reader | None = None, zotero: ZoteroPart = WHOLE) -> None:
        """Take `buffer`, which returns the text of a file that is open in an editor, else None.

        `zotero` is the part that counts of Zotero's database.
        """
        self._buffer = buffer
        self._zotero = zotero
        self._open: dict[Path, BibtexText] = {}
        self._lock = Lock()
        self._reading: Turns[Path] = Turns()
        self._read: dict[Path, FileSnapshot] = {}
        self._libraries: LastUsed[tuple[bool, tuple[Path, ...]], Library] = LastUsed(
            _MOST_LIBRARIES
        )
        self._too_much: dict[Path, Bibliography] = {}

    def load(
        self,
        paths: Sequence[Path],
        inline: Sequence[Bibliography] = (),
        *,
        inline_first: bool = False,
        by_doi: bool = False,
    ) -> Library:
        r"""Return the library of these files, in order.

        Files that cannot be read are problems in it. `inline` are bibliographies that stand in the
        draft itself (`\bibitem`); they come behind the files, or before them. Who needs a file
        while it is read waits, who needs others does not. `by_doi` is that of the library.
        """
        parts = tuple(self._bibliographies(_without_duplicates(paths)))
        parts = (*inline, *parts) if inline_first else (*parts, *inline)
        name = by_doi, tuple(part.path for part in parts)
        with self._lock:
            library = self._libraries.get(name)
            if library is None or not _same(library.bibliographies, parts):
                library = Library(parts, by_doi, self._zotero)
            self._libraries.keep(name, library)
            self._drop_unused_files()
            return library

    def lingers(self, path: Path) -> bool:
        """Whether the previous content of a file that is gone is still used."""
        with self._reading.of(path):
            snapshot = self._read.get(path)
            if snapshot is None:
                return False
            reading = snapshot_of(path, snapshot, zotero=self._zotero)
            self._keep(path, reading)
            return reading.is_outdated

    def unsettled(self, library: Library) -> float | None:
        """Return in how many seconds a library may change though none of its files does.

        None where it will not, as none of its files seems half written.
        """
        with self._lock:
            snapshots = [
                self._read.get(bibliography.path) for bibliography in library.bibliographies
            ]
            return min(
                (snapshot.left for snapshot in snapshots if snapshot and snapshot.is_outdated),
                default=None,
            )

    def _drop_unused_files(self) -> None:
        """Drop parsed files that no library uses, the oldest first."""
        count = sum(len(snapshot.file.bibliography.entries) for snapshot in self._read.values())
        if count <= _MOST_ENTRIES:
            return
        held = {path for _, paths in self._libraries.keys() for path in paths}
        for path in [path for path in self._read if path not in held]:
            if count <= _MOST_ENTRIES:
                break
            count -= len(self._read.pop(path).file.bibliography.entries)
        self._open = {path: parsed for path, parsed in self._open.items() if path in held}

    def _bibliographies(self, paths: Sequence[Path]) -> Iterator[Bibliography]:
        left = _LARGEST_LIBRARY
        for path in paths:
            current = stamp(path)
            left -= current[2] if current and current[2] <= LARGEST_TEXT else 0
            if left >= 0:
                yield self._bibliography(path)
                continue
            message = (
                "the bibliography is not read: with those before it, it is larger than "
                f"{_LARGEST_LIBRARY // 1_000_000} MB; name fewer"
            )
            too_much = Bibliography(path, (), (Problem(path, 1, message),))
            with self._lock:
                too_much = self._too_much.setdefault(path, too_much)
            yield too_much

    def _bibliography(self, path: Path) -> Bibliography:
        with self._reading.of(path):
            return self._read_if_changed(path)

    def _read_if_changed(self, path: Path) -> Bibliography:
        bibtex = path.suffix.lower() not in DATA_SUFFIXES
        text = self._buffer(path) if self._buffer and bibtex else None
        if text is not None:
            # An unsaved edit counts, and only what it touches is read.
            with self._lock:
                saved, before = self._read.get(path), self._open.get(path)
            edited = read_text(text, path, before or (saved.file.bibtex if saved else None))
            with self._lock:
                self._open[path] = edited
            return edited.bibliography
        with self._lock:
            closed = self._open.pop(path, None) is not None  # and written by the writer
            snapshot = self._read.get(path)
        read = snapshot_of(path, snapshot, patient=not closed, zotero=self._zotero)
        self._keep(path, read)
        return read.file.bibliography

    def _keep(self, path: Path, read: FileSnapshot) -> None:
        with self._lock:
            self._read[path] = read


def _same(first: Sequence[Bibliography], second: Sequence[Bibliography]) -> bool:
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))


def _without_duplicates(paths: Sequence[Path]) -> list[Path]:
    """Return the paths without those that lead to the same file as an earlier one."""
    if len(paths) < 2:
        return list(paths)
    by_real_path: dict[str, Path] = {}
    for path in paths:
        by_real_path.setdefault(os.path.realpath(path), path)
    return list(by_real_path.values())
