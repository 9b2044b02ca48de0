"""The papers of a corpus as a source."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.method import Allowed
from cite_lsp.recommend.corpus.candidates import nearest_rows
from cite_lsp.search.corpus.paper_columns import Ragged
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import Hashes
from cite_lsp.search.words.word_index import Scores, WordQuery

_EVERY = 1000
"""Papers that may be ranked up to which each of them is compared."""


@frozen
class CorpusPapers:
    """The papers of a corpus. A `PaperSource`."""

    source: CorpusView
    has_vectors: bool = True

    @property
    def years(self) -> NDArray[np.int32]:
        """See `PaperSource`."""
        return self.source.years

    def __len__(self) -> int:
        return len(self.source)

    def paper(self, row: int) -> Paper:
        """See `PaperSource`."""
        return self.source.paper(row)

    def word_scores(self, words: WordQuery) -> Scores:
        """See `PaperSource`."""
        return self.source.words.scores(words)

    def nearest(
        self, vector: NDArray[np.float32], count: int, allowed: Allowed | None = None
    ) -> Rows:
        """See `PaperSource`."""
        if allowed is not None and np.count_nonzero(allowed) <= _EVERY:
            rows = np.flatnonzero(allowed)  # so few that none may be among the nearest of all
            order = np.argsort(-(self.vectors(rows) @ vector), kind="stable")
            return np.asarray(rows[order[:count]], dtype=np.int64)
        return nearest_rows(self.source.vectors, vector, count, allowed)

    def vectors(self, rows: Rows) -> Vectors:
        """See `PaperSource`."""
        return self.source.vectors.vectors(rows)

    def authors(self, rows: Rows) -> Ragged:
        """See `PaperSource`."""
        return self.source.columns.authors(rows)

    def venues(self, rows: Rows) -> Hashes:
        """See `PaperSource`."""
        return np.asarray(self.source.columns.venues[rows])
