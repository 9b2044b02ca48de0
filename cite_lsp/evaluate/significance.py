"""Bootstrap intervals: how far a figure may be from what other contexts would have given."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

_SAMPLES = 2000
_DRAWN_AT_ONCE = 1 << 20
"""Values drawn together: all of them would take hundreds of megabytes."""


def bootstrap_interval(
    values: ArrayLike,
    documents: Sequence[Hashable] | None = None,
    *,
    level: float = 0.95,
) -> tuple[float, float]:
    """Return the percentile interval of the mean of `values`, shape (n,).

    The values are resampled 2,000 times; without values both ends are 0 (Efron 1979). With
    `documents`, the document of each value, whole documents are resampled: the values of one
    document are alike, and its interval is wider (Field & Welsh 2007, the cluster bootstrap).
    """
    data = np.asarray(values, dtype=np.float64)
    if not len(data):
        return (0.0, 0.0)
    dice = np.random.default_rng(13)
    sums: NDArray[np.float64] = data
    counts: NDArray[np.float64] = np.ones(len(data))
    if documents is not None:
        number: dict[Hashable, int] = {}
        of = [number.setdefault(document, len(number)) for document in documents]
        sums = np.bincount(of, data).astype(np.float64)
        counts = np.bincount(of).astype(np.float64)
    at_once = max(1, _DRAWN_AT_ONCE // len(sums))
    means = []
    for start in range(0, _SAMPLES, at_once):
        drawn = dice.integers(0, len(sums), (min(at_once, _SAMPLES - start), len(sums)))
        means.append(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
