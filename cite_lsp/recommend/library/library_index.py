"""Libraries made ready for ranking, each once for everybody who asks for it.

Those that were used last are kept, and renewed when their files change: of a library that changed,
only the change is read again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from operator import is_
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from attrs import frozen

from cite_lsp.library import EntryMatcher, Library
from cite_lsp.library.model import Entry
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.storage.caches import Turns
from cite_lsp.translate.segment import fold_script

_SHELVES_KEPT = 16
"""More than drafts of different libraries are open at a time; one of 8,000 entries takes 30 MB."""

_Name = tuple[Path, ...]


@frozen(eq=False)
class Shelf:
    """A library made ready for ranking."""

    library: Library
    pool: Pool
    matcher: EntryMatcher


class Shelves:
    """The shelves of the libraries that were used last. Thread-safe.

    One that somebody still works with, as where its papers are being embedded, is found as long as
    they do, however many others come meanwhile.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._making: Turns[_Name] = Turns()
        self._kept: OrderedDict[_Name, Shelf] = OrderedDict()
        self._present: WeakValueDictionary[_Name, Shelf] = WeakValueDictionary()

    def of(self, library: Library) -> Shelf:
        """Return a library made ready, its vectors too when they cost no waiting.

        Who asks for it while it is made waits, who asks for another one does not.
        """
        name = _name(library)
        with self._making.of(name):
            with self._lock:
                before = self._present.get(name)
                if before is not None and before.library is library:
                    self._use(name, before)
                    return before
                others = tuple(self._present.values())
            shelf = _made(library, before, others)
            with self._lock:
                self._present[name] = shelf
                self._use(name, shelf)
        return shelf

    def complete(self, library: Library, papers: Mapping[int, Paper]) -> Shelf:
        """Return a library made ready with papers of which more is known than its entries say.

        `papers` are these by their rows. Nobody waits for it meanwhile: until it is there, the
        library is found as it was.
        """
        shelf = self.of(library)
        if shelf.pool.completed == papers:
            return shelf
        pool = Pool.of_entries(library.entries, shelf.pool, papers)
        whole = Shelf(library, pool, shelf.matcher)
        name = _name(library)
        with self._lock:
            if self._present.get(name) is shelf:  # else it has changed, and is asked for again
                self._present[name] = whole
                self._use(name, whole)
        return whole

    def paper(self, entry: Entry) -> Paper:
        """Return the paper of an entry, as a library that is ready has it if there is one."""
        with self._lock:
            for shelf in tuple(self._present.values()):
                row = shelf.pool.row_of.get(entry.key)
                if row is not None and shelf.library.entries[row].record is entry.record:
                    return shelf.pool.papers[row]
        return entry.paper

    def keep(self, shelf: Shelf) -> None:
        """Take a shelf for one that was used just now, unless its library has changed since."""
        name = _name(shelf.library)
        with self._lock:
            if self._present.get(name) is shelf:
                self._use(name, shelf)

    def _use(self, name: _Name, shelf: Shelf) -> None:
        self._kept[name] = shelf
        self._kept.move_to_end(name)
        while len(self._kept) > _SHELVES_KEPT:
            self._kept.popitem(last=False)


def _made(library: Library, before: Shelf | None, others: Sequence[Shelf]) -> Shelf:
    """Make a library ready, with its shelf `before` a change, if there is one, beside others.

    While the name of one more bibliography is being typed, every letter is a library of other
    files, with the entries of the last one.
    """
    entries = library.entries
    for other in others:
        if _same(other.library.entries, entries):
            return Shelf(library, other.pool, other.matcher)
    pool = Pool.of_entries(entries, before.pool if before else None)
    matcher = EntryMatcher(entries, before.matcher if before else None, fold_script)
    return Shelf(library, pool, matcher)


def _name(library: Library) -> _Name:
    return tuple(bibliography.path for bibliography in library.bibliographies)


def _same(first: Sequence[Entry], second: Sequence[Entry]) -> bool:
    return len(first) == len(second) and all(map(is_, first, second))
