"""Similarity of papers to those that a section cites: phase 2 (Tanaka et al., section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.storage.caches import ByObject, LastUsed

_CACHED_PER_POOL = 16
_Cache = LastUsed[tuple[int, ...], tuple[Column, Column]]
_caches: ByObject[Pool, tuple[Vectors, _Cache]] = ByObject()
"""For each pool its vectors, and the results that were computed from them."""


def cached_similarity_to_cited(pool: Pool, cited: Sequence[int]) -> tuple[Column, Column]:
    """Return `similarity_to_cited` of a pool, cached: one section cites the same everywhere."""
    vectors = pool.full_vectors
    assert vectors is not None  # embedded before
    cached = _caches.get(pool)
    # Arrays are compared, not their ids: the id of a deleted array is reused.
    if cached is None or cached[0] is not vectors:
        cached = _caches.keep(pool, (vectors, LastUsed(_CACHED_PER_POOL)))
    key = tuple(sorted(set(cited)))
    similarities = cached[1].get(key)
    if similarities is None:
        similarities = similarity_to_cited(vectors, cited)
        cached[1].keep(key, similarities)
    return similarities


def nearest_to_cited(
    vectors_of: Callable[[NDArray[np.int64]], NDArray[np.floating]],
    rows: Sequence[int],
    cited: Sequence[int],
) -> Column:
    """Return the greatest cosine of papers to one that is cited, itself left out, shape (rows,).

    `vectors_of` gives the unit vectors of rows.
    """
    place = {row: number for number, row in enumerate(dict.fromkeys((*rows, *cited)))}
    vectors = np.asarray(vectors_of(np.array(list(place), dtype=np.int64)), dtype=np.float32)
    return similarity_to_cited(vectors, [place[row] for row in cited])[0][: len(rows)]


def similarity_to_cited(vectors: Vectors, cited: Sequence[int]) -> tuple[Column, Column]:
    """Return the greatest and the mean cosine of each paper to the cited rows, two columns (n,).

    Both are 0 where nothing else is cited. Source: Tanaka et al., section 3.2. A paper is never
    compared with itself, because writers cite again.
    """
    size = len(vectors)
    rows = sorted(set(cited))
    if not rows:
        return np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)
    cosines = vectors @ vectors[rows].T
    counts = np.full(size, len(rows), dtype=np.float32)
    total = cosines.sum(axis=1)
    for column, row in enumerate(rows):
        total[row] -= cosines[row, column]
        counts[row] -= 1
        cosines[row, column] = -np.inf
    greatest = np.where(counts > 0, cosines.max(axis=1), 0.0).astype(np.float32)
    return greatest, (total / np.maximum(counts, 1)).astype(np.float32)
