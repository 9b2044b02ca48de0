"""Bootstrap intervals: how far a figure may be from what other drafts would have given."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def bootstrap_interval(
    values: ArrayLike, *, samples: int = 2000, seed: int = 13, level: float = 0.95
) -> tuple[float, float]:
    """Return the percentile interval of the mean of `values`, shape (n,).

    The values are resampled `samples` times; without values both ends are 0 (Efron 1979).
    """
    data = np.asarray(values, dtype=np.float64)
    if not len(data):
        return (0.0, 0.0)
    dice = np.random.default_rng(seed)
    means = data[dice.integers(0, len(data), (samples, len(data)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
