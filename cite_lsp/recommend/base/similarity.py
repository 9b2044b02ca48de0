"""How near papers are to those that a section cites: the evidence of phase 2 (Tanaka et al.)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cite_lsp.encode.model import Vectors
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.storage.caches import ByObject, LastUsed

_NEARNESSES_KEPT = 16
_Kept = LastUsed[tuple[int, ...], tuple[Column, Column]]
_nearnesses: ByObject[Pool, tuple[Vectors, _Kept]] = ByObject()
"""What was computed for each pool, with the vectors that it holds for."""


def nearness_in(pool: Pool, cited: Sequence[int]) -> tuple[Column, Column]:
    """Return `nearness` in a pool, remembered: a section cites the same in all its sentences."""
    now = pool.full_vectors
    assert now is not None  # embedded before
    kept = _nearnesses.get(pool)
    # No id of theirs tells: that of an array that is gone is given again.
    if kept is None or kept[0] is not now:
        kept = _nearnesses.keep(pool, (now, LastUsed(_NEARNESSES_KEPT)))
    name = tuple(sorted(set(cited)))
    found = kept[1].get(name)
    if found is None:
        found = nearness(now, cited)
        kept[1].keep(name, found)
    return found


def nearness(vectors: Vectors, cited: Sequence[int]) -> tuple[Column, Column]:
    """Return each paper's greatest and mean cosine to the cited rows, itself left out (phase 2).

    Both of shape (n,), 0 where nothing else is cited. Source: Tanaka et al., section 3.2; a paper
    is never compared with itself, because writers cite again.
    """
    size = len(vectors)
    rows = sorted(set(cited))
    if not rows:
        return np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)
    cosines = vectors @ vectors[rows].T
    others = np.full(size, len(rows), dtype=np.float32)
    total = cosines.sum(axis=1)
    for column, row in enumerate(rows):
        total[row] -= cosines[row, column]
        others[row] -= 1
        cosines[row, column] = -np.inf
    greatest = np.where(others > 0, cosines.max(axis=1), 0.0).astype(np.float32)
    return greatest, (total / np.maximum(others, 1)).astype(np.float32)
