"""Where papers are found for a draft: a corpus or a library, seen through the same few methods."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.paper import Paper, fold
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import Ragged, surname_hashes
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import Hashes, word_hash
from cite_lsp.search.words.word_index import Scores, WordQuery
from cite_lsp.storage.array_folder import list_starts


class PaperSource(Protocol):
    """Papers by row, with their words and, where an encoder made them, their vectors."""

    def __len__(self) -> int: ...

    @property
    def years(self) -> NDArray[np.int32]:
        """Year of every paper, 0 where it is not known, shape (n,)."""

    @property
    def has_vectors(self) -> bool:
        """Whether there are vectors."""

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""

    def word_scores(self, words: WordQuery) -> Scores:
        """Return the BM25 score of every paper, shape (n,)."""

    def nearest(self, queries: Vectors, count: int) -> tuple[Rows, Vectors]:
        """Return the nearest rows to each query and their cosines, each of shape (q, count)."""

    def vectors(self, rows: Rows) -> Vectors:
        """Return the unit vectors of rows, shape (r, d)."""

    def authors(self, rows: Rows) -> Ragged:
        """Return the hashes of the surnames of the authors of rows."""

    def venues(self, rows: Rows) -> Hashes:
        """Return the hash of the venue of each row, 0 where it is not known, shape (r,)."""


class CorpusSource:
    """The papers of a corpus on this machine."""

    def __init__(self, index: CorpusIndex) -> None:
        """Take an opened corpus."""
        self.index = index
        self.years = index.years
        self.has_vectors = True

    def __len__(self) -> int:
        return len(self.index)

    def paper(self, row: int) -> Paper:
        """See `PaperSource`."""
        return self.index.paper(row)

    def word_scores(self, words: WordQuery) -> Scores:
        """See `PaperSource`."""
        return self.index.words.scores(words)

    def nearest(self, queries: Vectors, count: int) -> tuple[Rows, Vectors]:
        """See `PaperSource`."""
        return self.index.vectors.search(queries, count)

    def vectors(self, rows: Rows) -> Vectors:
        """See `PaperSource`."""
        return self.index.vectors.vectors(rows)

    def authors(self, rows: Rows) -> Ragged:
        """See `PaperSource`."""
        return self.index.columns.authors(rows)

    def venues(self, rows: Rows) -> Hashes:
        """See `PaperSource`."""
        return np.asarray(self.index.columns.venues[rows])


class LibrarySource:
    """The entries of a library: those whose vectors are made count by meaning, too."""

    def __init__(self, pool: Pool) -> None:
        """Take the pool of a library."""
        self.pool = pool
        self.years = np.asarray(pool.years, dtype=np.int32)

    def __len__(self) -> int:
        return len(self.pool)

    @property
    def has_vectors(self) -> bool:
        """See `PaperSource`."""
        return self.pool.embedded

    def paper(self, row: int) -> Paper:
        """See `PaperSource`."""
        return self.pool.papers[row]

    def word_scores(self, words: WordQuery) -> Scores:
        """See `PaperSource`."""
        return self.pool.words.scores(words)

    def nearest(self, queries: Vectors, count: int) -> tuple[Rows, Vectors]:
        """See `PaperSource`."""
        cosines = queries @ self._matrix.T
        rows = np.argsort(-cosines, axis=1, kind="stable")[:, :count]
        return rows, np.take_along_axis(cosines, rows, axis=1)

    def vectors(self, rows: Rows) -> Vectors:
        """See `PaperSource`."""
        return self._matrix[rows]

    def authors(self, rows: Rows) -> Ragged:
        """See `PaperSource`."""
        names = [surname_hashes(self.pool.papers[row]) for row in rows.tolist()]
        flat = [name for own in names for name in own]
        return Ragged(list_starts([len(own) for own in names]), np.array(flat, dtype=np.uint32))

    def venues(self, rows: Rows) -> Hashes:
        """See `PaperSource`."""
        named = (self.pool.papers[row].venue for row in rows.tolist())
        return np.array([word_hash(fold(name)) if name else 0 for name in named], dtype=np.uint32)

    @property
    def _matrix(self) -> Vectors:
        assert self.pool.full_vectors is not None  # `has_vectors` says so
        return self.pool.full_vectors
