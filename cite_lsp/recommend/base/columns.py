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


_FIRST = 3


def first_places(values: Column) -> list[int]:
    """Return the numbers of up to three papers with the highest figures, the highest first.

    Of a few papers it is the highest third. Papers whose figure is not known (NaN) are left out.
    """
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(-values[known], kind="stable")]
    return [int(number) for number in order[: min(_FIRST, max(len(known) // 3, 1))]]


def places(values: Column) -> NDArray[np.int64]:
    """Return for each paper its place among the first by their figures, from 1 up; 0 for others."""
    found = np.zeros(len(values), dtype=np.int64)
    first = first_places(values)
    found[first] = np.arange(1, len(first) + 1)
    return found
