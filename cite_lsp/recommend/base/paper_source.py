"""The papers of a library or of a corpus, seen through the same few methods."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.paper_columns import Ragged
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import Hashes
from cite_lsp.search.words.word_index import Scores, WordQuery

Allowed = NDArray[np.bool_]
"""Whether each paper may be ranked, shape (n,)."""


class PaperSource(Protocol):
    """Papers by row, with their words and, where an encoder made them, their vectors."""

    @property
    def source(self) -> object:
        """What holds the papers; what is computed of them is kept as long as it is in use."""

    @property
    def years(self) -> NDArray[np.int32]:
        """Year of every paper, 0 where it is not known, shape (n,)."""

    @property
    def has_vectors(self) -> bool:
        """Whether there are vectors."""

    def __len__(self) -> int: ...

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""

    def word_scores(self, words: WordQuery) -> Scores:
        """Return the BM25 score of every paper, shape (n,)."""

    def nearest(
        self, vector: NDArray[np.float32], count: int, allowed: Allowed | None = None
    ) -> Rows:
        """Return up to `count` rows by the product of their vectors and one, greatest first.

        In a large corpus its graph is searched, which may miss some.
        """

    def vectors(self, rows: Rows) -> Vectors:
        """Return the unit vectors of rows, by title and abstract, shape (r, d)."""

    def authors(self, rows: Rows) -> Ragged:
        """Return the hashes of the surnames of the authors of rows."""

    def venues(self, rows: Rows) -> Hashes:
        """Return the hash of the venue of each row, 0 where it is not known, shape (r,)."""
