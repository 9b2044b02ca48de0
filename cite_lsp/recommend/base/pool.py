"""The Pool: the papers that can be recommended, with the columns and indexes that rank them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Generic, TypeVar, overload

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.library.bibtex.roles import uncitable
from cite_lsp.library.entries import Entry, Record
from cite_lsp.paper import Paper, fold, surname
from cite_lsp.recommend.base.han_names import pinyin_spelling
from cite_lsp.recommend.base.pool_words import PoolWords, Sources
from cite_lsp.search.corpus.paper_columns import AUTHORS_READ, handle
from cite_lsp.search.corpus.texts import encoder_text, searched_text
from cite_lsp.search.words.hashes import Hashes, word_hash, word_hashes
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.search.words.word_index import ExtendedWordIndex, WordIndex

_READ_AT_ONCE = 256
"""Papers that are read for the encoder between two checks for cancellation."""
_EMBEDDED_AT_ONCE = 512
"""Papers that are embedded in seconds, after which they can be compared."""
_CHANGED_AT_MOST = 2000
"""Changed entries from which on nothing is taken over from the previous pool."""
_SHARE_CHANGED = 0.1
"""Share of a library that may be new or deleted before its word indexes are built again: until then
the document frequencies are those of the library as it was."""


T = TypeVar("T")


class LazyRows(Sequence[T], Generic[T]):
    """A sequence whose items are computed on first access. Thread-safe if `compute` is."""

    def __init__(self, size: int, compute: Callable[[int], T]) -> None:
        self._size = size
        self._compute = compute
        self._items: dict[int, T] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, row: int) -> T: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[T]: ...
    def __getitem__(self, row: int | slice) -> T | Sequence[T]:
        if isinstance(row, slice):
            return [self[index] for index in range(*row.indices(self._size))]
        item = self._items.get(row)
        if item is None:
            number = int(row)
            if not -self._size <= number < self._size:
                raise IndexError(number)
            item = self._items[number] = self._compute(number)
        return item

    def __iter__(self) -> Iterator[T]:
        return (self[row] for row in range(self._size))


class Pool:
    """Papers in a fixed order; row i of every array belongs to paper i.

    Keys (of entries) and ids (of papers without an entry) name the rows. Words are indexed at once,
    vectors are made by `embed`, because they need a model.
    """

    papers: Sequence[Paper]
    words: WordIndex | ExtendedWordIndex
    title_words: WordIndex | ExtendedWordIndex

    def __init__(
        self, papers: Sequence[Paper], entries: Sequence[Entry | None] | None = None
    ) -> None:
        """Index the words of the papers; `entries`, if given, are theirs, in the same order."""
        papers = tuple(papers)
        paper_entries = tuple(entries) if entries is not None else (None,) * len(papers)
        self._set_papers(papers, paper_entries)
        self._set_words(PoolWords.build(papers))

    @classmethod
    def of_entries(
        cls,
        entries: Sequence[Entry],
        before: Pool | None = None,
        completed: Mapping[int, Paper] | None = None,
        digest: str = "",
    ) -> Pool:
        """Make the pool of a library; if `before` is its previous pool, read only what has changed.

        Papers are read from their entries when first accessed, word indexes from the cache if an
        earlier run wrote it. `completed` are papers that corpora completed, with an abstract say,
        by row; None for the completed papers of `before` whose records are the same. `digest` is
        that of the entries, where it is known.
        """
        pool = cls.__new__(cls)
        entries = tuple(entries)
        papers_completed = _completed_before(entries, before)
        if completed is not None:
            papers_completed = {
                row: papers_completed[row] if papers_completed.get(row) == paper else paper
                for row, paper in completed.items()
            }
        papers = LazyRows(len(entries), lambda row: papers_completed.get(row) or entries[row].paper)
        sources: list[Record | Paper] = [entry.record for entry in entries]
        for row, paper in papers_completed.items():
            sources[row] = paper
        pool._set_papers(papers, entries, papers_completed, tuple(sources))
        if before is None or not pool._take_over(before, entries):
            pool._set_words(PoolWords.of_entries(papers, entries, pool._sources, digest))
        return pool

    def _set_papers(
        self,
        papers: Sequence[Paper],
        entries: Sequence[Entry | None],
        completed: Mapping[int, Paper] = MappingProxyType({}),
        sources: Sources = (),
    ) -> None:
        self.papers, self.completed, self._sources = papers, completed, sources
        self.entries = tuple(entries)
        self.names = tuple(
            entry.key if entry else papers[row].id for row, entry in enumerate(self.entries)
        )
        rows = range(len(self.names))
        self.row_of = dict(zip(reversed(self.names), reversed(rows), strict=True))
        self.title_tokens = LazyRows(
            len(papers), lambda row: frozenset(tokenise(papers[row].title))
        )
        self.surnames = surnames = LazyRows(len(papers), lambda row: _surnames(papers[row]))
        self.name_hashes = LazyRows(
            len(papers), lambda row: _name_hashes(papers[row].title, surnames[row])
        )
        self.spellings = LazyRows(
            len(papers), lambda row: tuple(map(pinyin_spelling, papers[row].authors))
        )
        self.title_vectors: Vectors | None = None
        self.full_vectors: Vectors | None = None
        self.embeddings = 0
        """How often vectors were set, so that what was computed by earlier ones is told apart."""
        self._unembedded: Sequence[int] = range(len(papers))

    @cached_property
    def uncitable(self) -> list[int]:
        """The rows of the entries that are no papers to cite: data, parts of a set."""
        entries = [entry for entry in self.entries if entry is not None]
        return uncitable(entries) if len(entries) == len(self.entries) else []

    def _set_words(self, words: PoolWords) -> None:
        self._pool_words = words
        self.words, self.title_words = words.everything, words.titles
        self.years, self.has_abstract = words.years, words.has_abstract

    def _take_over(self, before: Pool, entries: tuple[Entry, ...]) -> bool:
        """Take over what has not changed since the previous pool; False if that is too little."""
        read = before._pool_words
        source = _rows_of(_records(entries), _records(before.entries))
        if not read.sources or np.count_nonzero(source < 0) > _CHANGED_AT_MOST:
            return False
        self._take_vectors(before, source)
        source = _rows_of(self._sources, read.sources)
        new = np.flatnonzero(source < 0).tolist()
        gone = len(read.sources) - (len(entries) - len(new))
        most = min(_SHARE_CHANGED * len(read.sources), _CHANGED_AT_MOST)
        if max(len(new), gone) > most:
            self._set_words(PoolWords.of_entries(self.papers, entries, self._sources))
        else:
            self._renew_words(read, source, new)
        return True

    def _renew_words(self, read: PoolWords, source: NDArray[np.int64], new: list[int]) -> None:
        """Take over the words that are indexed: `source` says at which row, -1 for new papers."""
        papers = [self.papers[row] for row in new]
        self._pool_words = read
        texts = [searched_text(paper) for paper in papers]
        self.words = ExtendedWordIndex.renewed(read.everything, source, texts)
        titles = [paper.title for paper in papers]
        self.title_words = ExtendedWordIndex.renewed(read.titles, source, titles)
        self.years, self.has_abstract = read.years[source], read.has_abstract[source]
        self.years[new] = [paper.year or 0 for paper in papers]
        self.has_abstract[new] = [bool(paper.abstract) for paper in papers]

    def _take_vectors(self, before: Pool, source: NDArray[np.int64]) -> None:
        """Take over vectors; a changed paper has its old ones until `embed` is called.

        `source` is the row of each record in the previous pool, -1 if it is new.
        """
        if before.title_vectors is None or before.full_vectors is None or not len(before):
            return
        read = set(map(id, before._sources)) - {id(before._sources[r]) for r in before._unembedded}
        self._unembedded = [
            row for row, record in enumerate(self._sources) if id(record) not in read
        ]
        same = np.array_equal(source[source >= 0], np.flatnonzero(source >= 0))
        if same and len(self) == len(before):
            self.title_vectors, self.full_vectors = before.title_vectors, before.full_vectors
            return
        self.title_vectors = before.title_vectors[source]
        self.full_vectors = before.full_vectors[source]
        missing = source < 0
        self.title_vectors[missing] = 0
        self.full_vectors[missing] = 0

    def __len__(self) -> int:
        return len(self.papers)

    @property
    def embedded(self) -> bool:
        """Whether every paper has its vectors."""
        return self.title_vectors is not None and not self._unembedded

    @cached_property
    def full_words(self) -> WordIndex:
        """The word index of titles and abstracts alone: the BM25 baseline."""
        return WordIndex.build([encoder_text(paper) for paper in self.papers])

    def embed(
        self, encoder: Encoder, *, first: Sequence[int] = (), cancelled: Cancel | None = None
    ) -> None:
        """Encode titles, and titles with abstracts where there are any.

        Only the papers that have no vectors yet, or have changed, are encoded; of these those at
        the rows that come `first` alone, if any do. Until the abstracts of many are encoded, these
        papers go by their titles.

        Raises:
            Cancelled: `cancelled` returned true; an encoder with a cache has what was encoded so
            far.
        """
        encode = _Encoding(encoder, self.papers, cancelled)
        waiting = set(self._unembedded)
        rows = [row for row in first if row in waiting] if first else self._unembedded
        titles = encode.titles(rows)
        if len(rows) > _EMBEDDED_AT_ONCE:
            self._put_vectors(rows, titles, titles)
        self._put_vectors(rows, titles, encode.with_abstracts(rows, titles))
        self._unembedded = sorted(waiting.difference(rows))

    def _put_vectors(self, rows: Sequence[int], titles: Vectors, full: Vectors) -> None:
        """Set the vectors of some papers; others that have none yet are as far from all texts."""
        # Other threads may read the arrays that there are.
        shape = len(self), titles.shape[1]
        all_titles, all_full = (
            np.zeros(shape, dtype=np.float32) if vectors is None else vectors.copy()
            for vectors in (self.title_vectors, self.full_vectors)
        )
        all_titles[rows], all_full[rows] = titles, full
        self._set_vectors(all_titles, all_full)

    def take_vectors(self, titles: Vectors, full: Vectors) -> None:
        """Set the vectors of all papers, each of shape (n, d)."""
        self._set_vectors(titles, full)
        self._unembedded = []

    def _set_vectors(self, titles: Vectors, full: Vectors) -> None:
        self.full_vectors, self.title_vectors = full, titles
        self.embeddings += 1

    def rows(self, names: Sequence[str]) -> list[int]:
        """Return the rows of the names that the pool knows, in the order given."""
        return [self.row_of[name] for name in names if name in self.row_of]

    def wanted_first(self, text: str, cited: Sequence[str]) -> list[int]:
        """Return the rows to embed first for a text, a few hundred: cited names, and nearest words.

        None where all of the papers are as few.
        """
        if len(self._unembedded) <= _EMBEDDED_AT_ONCE:
            return []
        scores = self.words.scores(text)
        scores[self.rows(cited)] = np.inf
        nearest: list[int] = np.argsort(-scores, kind="stable")[:_EMBEDDED_AT_ONCE].tolist()
        return nearest


@frozen
class _Encoding:
    """The encoding of papers, in parts that are read in milliseconds."""

    encoder: Encoder
    papers: Sequence[Paper]
    cancelled: Cancel | None

    def titles(self, rows: Sequence[int]) -> Vectors:
        """Return the vectors of titles."""
        vectors = np.zeros((len(rows), self.encoder.dimensions), dtype=np.float32)
        for part in _parts(len(rows), self.cancelled):
            texts = [self.papers[row].title for row in rows[part]]
            vectors[part] = self.encoder.encode(texts, cancelled=self.cancelled)
        return vectors

    def with_abstracts(self, rows: Sequence[int], titles: Vectors) -> Vectors:
        """Return the vectors of titles with abstracts, those of titles where there are none."""
        vectors = titles.copy()
        for part in _parts(len(rows), self.cancelled):
            long = [place for place in range(len(rows))[part] if self.papers[rows[place]].abstract]
            if long:
                texts = [encoder_text(self.papers[rows[place]]) for place in long]
                vectors[long] = self.encoder.encode(texts, cancelled=self.cancelled)
        return vectors


def _parts(count: int, cancelled: Cancel | None) -> Iterator[slice]:
    """Cut `count` rows into parts that are read in milliseconds, with a check before each.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    for start in range(0, count, _READ_AT_ONCE):
        stop_if(cancelled)
        yield slice(start, min(start + _READ_AT_ONCE, count))


def _surnames(paper: Paper) -> tuple[str, ...]:
    return tuple(name for name in map(fold, map(surname, paper.authors)) if len(name) > 1)


def _name_hashes(title: str, surnames: Sequence[str]) -> tuple[Hashes, Hashes, Hashes]:
    """Return the hashes of the words of a title, of the first surnames, and of the handle."""
    name = handle(title)
    return (
        word_hashes(tokenise(title)),
        word_hashes(surnames[:AUTHORS_READ]),
        np.array([word_hash(name) if name else 0], dtype=np.uint32),
    )


def _completed_before(entries: Sequence[Entry], before: Pool | None) -> dict[int, Paper]:
    """Return the completed papers of a previous pool whose records are the same, by new row."""
    if before is None or not before.completed:
        return {}
    records = _records(before.entries)
    completed = {id(records[row]): paper for row, paper in before.completed.items()}
    rows = ((row, completed.get(id(entry.record))) for row, entry in enumerate(entries))
    return {row: paper for row, paper in rows if paper is not None}


def _records(entries: Iterable[Entry | None]) -> tuple[Record, ...]:
    return tuple(entry.record for entry in entries if entry)


def _rows_of(sources: Sources, others: Sources) -> NDArray[np.int64]:
    """Return the row of each source, by identity, among others; -1 if it is not there."""
    row_of = {id(source): row for row, source in enumerate(others)}
    return np.array([row_of.get(id(source), -1) for source in sources], dtype=np.int64)
