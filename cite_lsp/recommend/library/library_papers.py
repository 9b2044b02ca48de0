"""The papers of a library as a method is given them."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.method import Allowed, Rows
from cite_lsp.recommend.base.pool import Pool


@frozen
class PoolPapers:
    """The papers of an embedded pool, each compared: libraries are small. A `MethodPapers`."""

    pool: Pool
    encoder: Encoder

    @property
    def source(self) -> Pool:
        """The pool."""
        return self.pool

    def __len__(self) -> int:
        return len(self.pool)

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""
        return self.pool.papers[row]

    def vectors(self, rows: Rows) -> Vectors:
        """Return the vectors of rows, by title and abstract, shape (r, d)."""
        vectors = self.pool.full_vectors
        assert vectors is not None  # a method is asked for embedded pools alone
        return np.asarray(vectors[rows])

    def nearest(self, vector: NDArray[np.float32], count: int, allowed: Allowed | None) -> Rows:
        """Return up to `count` rows by the product of their vectors and one, greatest first."""
        rows = np.arange(len(self)) if allowed is None else np.flatnonzero(allowed)
        products = self.vectors(rows) @ vector
        return np.asarray(rows[np.argsort(-products, kind="stable")[:count]], dtype=np.int64)
