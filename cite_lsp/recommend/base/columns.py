"""Columns of figures, one for each paper: the type, and the best rows of a column."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float32]
"""A figure for each of n papers, shape (n,)."""


def greatest(values: Column) -> float:
    """Return the greatest figure of a column; 0 of an empty column."""
    return float(values.max()) if len(values) else 0.0


def unknown_columns(names: Iterable[str], papers: int) -> dict[str, Column]:
    """Return a column of NaN, shape (papers,), under each name."""
    return dict.fromkeys(names, np.full(papers, np.nan, dtype=np.float32))


_FIRST = 3


def top_rows(values: Column) -> list[int]:
    """Return the rows of the up to three highest figures, highest first.

    Of fewer than nine known figures it is the highest third. Unknown figures (NaN) are left out.
    """
    rows = np.flatnonzero(~np.isnan(values))
    order = rows[np.argsort(-values[rows], kind="stable")]
    return [int(number) for number in order[: min(_FIRST, max(len(rows) // 3, 1))]]


def top_ranks(values: Column) -> NDArray[np.int64]:
    """Return the rank of each paper among the `top_rows`, from 1; 0 for all others, shape (n,)."""
    ranks = np.zeros(len(values), dtype=np.int64)
    top = top_rows(values)
    ranks[top] = np.arange(1, len(top) + 1)
    return ranks
