"""The papers of a library as a source."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.paper import Paper, fold
from cite_lsp.recommend.base.method import Allowed
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.search.corpus.paper_columns import Ragged, surname_hashes
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import Hashes, word_hash
from cite_lsp.search.words.word_index import Scores, WordQuery
from cite_lsp.storage.array_folder import list_starts


@frozen
class LibraryPapers:
    """The entries of a library: those whose vectors are made count by meaning. A `PaperSource`."""

    source: Pool

    @property
    def years(self) -> NDArray[np.int32]:
        """See `PaperSource`."""
        return np.asarray(self.source.years, dtype=np.int32)

    @property
    def has_vectors(self) -> bool:
        """See `PaperSource`."""
        return self.source.embedded

    def __len__(self) -> int:
        return len(self.source)

    def paper(self, row: int) -> Paper:
        """See `PaperSource`."""
        return self.source.papers[row]

    def word_scores(self, words: WordQuery) -> Scores:
        """See `PaperSource`."""
        return self.source.words.scores(words)

    def nearest(
        self, vector: NDArray[np.float32], count: int, allowed: Allowed | None = None
    ) -> Rows:
        """See `PaperSource`. Each paper is compared: libraries are small."""
        rows = np.arange(len(self)) if allowed is None else np.flatnonzero(allowed)
        products = self.vectors(rows) @ vector
        return np.asarray(rows[np.argsort(-products, kind="stable")[:count]], dtype=np.int64)

    def vectors(self, rows: Rows) -> Vectors:
        """See `PaperSource`."""
        assert self.source.full_vectors is not None  # `has_vectors` says so
        return np.asarray(self.source.full_vectors[rows])

    def authors(self, rows: Rows) -> Ragged:
        """See `PaperSource`."""
        names = [surname_hashes(self.paper(row)) for row in rows.tolist()]
        flat = [name for surnames in names for name in surnames]
        return Ragged(
            list_starts([len(surnames) for surnames in names]), np.array(flat, dtype=np.uint32)
        )

    def venues(self, rows: Rows) -> Hashes:
        """See `PaperSource`."""
        named = (self.paper(row).venue for row in rows.tolist())
        return np.array([word_hash(fold(name)) if name else 0 for name in named], dtype=np.uint32)
