"""Libraries indexed for ranking, each once for all callers.

The most recently used ones stay in memory. When a library changes, only the change is read again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import is_
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from attrs import frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.library import EntryMatcher, Library
from cite_lsp.library.entries import Entry, digest_of
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.pool_words import PoolWords
from cite_lsp.recommend.library import named_keys
from cite_lsp.recommend.library.index_process import index_in_process
from cite_lsp.recommend.library.typed_match import UnindexedEntries
from cite_lsp.storage.caches import LastUsed, Turns
from cite_lsp.translate.segment import fold_script

_RECENT_INDEXES = 16
"""More than drafts with different libraries are open at a time; 8,000 entries take 30 MB."""
_LARGE = 2000
"""Entries from which on nobody waits until they are indexed for the first time."""

_Paths = tuple[Path, ...]


@frozen(eq=False)
class LibraryIndex:
    """A library, its pool for ranking, and the matcher for typed words."""

    library: Library
    pool: Pool
    matcher: EntryMatcher


class LibraryIndexes:
    """The indexes of the most recently used libraries. Thread-safe.

    An index that is in use, while its papers are being embedded say, is found as long as that
    takes, however many others are made meanwhile.
    """

    def __init__(self, *, own_process: bool = False) -> None:
        """With `own_process`, large libraries are indexed in one, for whoever types meanwhile."""
        self._own_process = own_process
        self._lock = Lock()
        self._building: Turns[_Paths] = Turns()
        self._recent: LastUsed[_Paths, LibraryIndex] = LastUsed(_RECENT_INDEXES)
        self._in_use: WeakValueDictionary[_Paths, LibraryIndex] = WeakValueDictionary()
        self._unindexed: UnindexedEntries | None = None

    def get(self, library: Library, cancelled: Cancel | None = None) -> LibraryIndex:
        """Return the index of a library, with the vectors that its previous index had.

        Callers wait while the same library is being indexed, not for other libraries.

        Raises:
            Cancelled: `cancelled` returned true while a large library was read.
        """
        paths = _paths_of(library)
        with self._lock:
            is_new = self._in_use.get(paths) is None and len(library.entries) >= _LARGE
        # Not in the turn for which others wait.
        digest = digest_of(library.entries, (), lambda: stop_if(cancelled)) if is_new else ""
        with self._building.of(paths):
            with self._lock:
                previous = self._in_use.get(paths)
                if previous is not None and previous.library is library:
                    self._recent.keep(paths, previous)
                    return previous
                others = tuple(self._in_use.values())
            if previous is None and self._own_process and digest and not _is_stored(digest):
                index_in_process(library)
            index = _build(library, previous, others, digest)
            with self._lock:
                self._in_use[paths] = index
                self._recent.keep(paths, index)
                self._unindexed = None
        return index

    def unindexed(self, library: Library) -> UnindexedEntries:
        """Return the entries of a library for which `ready` returns nothing."""
        with self._lock:
            if self._unindexed is None or self._unindexed.library is not library:
                self._unindexed = UnindexedEntries(library)
            return self._unindexed

    def ready(self, library: Library) -> LibraryIndex | None:
        """Return the index as `get` does; None where a large library would have to be read for it.

        One that only its edits have to be read of is ready.
        """
        if len(library.entries) >= _LARGE:
            with self._lock:
                index = self._in_use.get(_paths_of(library))
                others = tuple(self._in_use.values())
            if index is None and not any(
                _same_entries(other.library.entries, library.entries) for other in others
            ):
                return None
        return self.get(library)

    def complete(self, library: Library, papers: Mapping[int, Paper]) -> LibraryIndex:
        """Return the index of a library with papers that corpora completed, by row.

        Nobody waits for it: until it is built, `get` returns the index without them.
        """
        index = self.get(library)
        if index.pool.completed == papers:
            return index
        pool = Pool.of_entries(library.entries, index.pool, papers)
        completed = LibraryIndex(library, pool, index.matcher)
        paths = _paths_of(library)
        with self._lock:
            if self._in_use.get(paths) is index:  # else the library has changed meanwhile
                self._in_use[paths] = completed
                self._recent.keep(paths, completed)
        return completed

    def paper(self, entry: Entry) -> Paper:
        """Return the paper of an entry, from an index if one has it (it may be completed there)."""
        with self._lock:
            for index in tuple(self._in_use.values()):
                row = index.pool.row_of.get(entry.key)
                if row is not None and index.library.entries[row].record is entry.record:
                    return index.pool.papers[row]
        return entry.paper

    def keep(self, index: LibraryIndex) -> None:
        """Mark an index as used just now, unless its library has changed since."""
        paths = _paths_of(index.library)
        with self._lock:
            if self._in_use.get(paths) is index:
                self._recent.keep(paths, index)


def _build(
    library: Library, previous: LibraryIndex | None, others: Sequence[LibraryIndex], digest: str
) -> LibraryIndex:
    """Index a library, from its `previous` index or that of another library with the same entries.

    While the name of another bibliography is being typed, every letter makes a library of other
    files, with the same entries. `digest` is that of the entries, where it is known.
    """
    entries = library.entries
    for other in others:
        if _same_entries(other.library.entries, entries):
            return LibraryIndex(library, other.pool, other.matcher)
    if previous is not None:
        pool = Pool.of_entries(entries, previous.pool)
        matcher = EntryMatcher(entries, previous.matcher, fold_script)
    else:
        pool = Pool.of_entries(entries, digest=digest)
        matcher = EntryMatcher(entries, script=fold_script, digest=digest)
    if len(entries) >= _LARGE:
        matcher.prepare()
        # The first list after this does not wait for them.
        pool.uncitable  # noqa: B018
        named_keys.prepare(pool)
    return LibraryIndex(library, pool, matcher)


def _is_stored(digest: str) -> bool:
    """Whether an earlier run has left the index of entries with a digest on disk."""
    return EntryMatcher.is_stored(digest) and PoolWords.is_stored(digest)


def _paths_of(library: Library) -> _Paths:
    return tuple(bibliography.path for bibliography in library.bibliographies)


def _same_entries(first: Sequence[Entry], second: Sequence[Entry]) -> bool:
    return len(first) == len(second) and all(map(is_, first, second))
