"""Columns: one figure for each of some papers, most often for all of a pool."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float32]
"""Shape (n,), a figure for each paper."""


def highest(values: Column) -> float:
    """Return the greatest figure of a column, 0 where there is no paper."""
    return float(values.max()) if len(values) else 0.0


def unknown(names: Iterable[str], papers: int) -> dict[str, Column]:
    """Return a column of so many papers under each name that says of none what it is (NaN)."""
    return dict.fromkeys(names, np.full(papers, np.nan, dtype=np.float32))
