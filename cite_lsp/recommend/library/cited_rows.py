"""Which papers of a pool the markers of a draft cite, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.manuscript.model import Mention

ADJACENT = 2
"""Markers at most this far apart count as citing together."""

Integers = NDArray[np.int64]


@frozen(eq=False)
class CitedRows:
    """The rows of a pool that m markers cite: p pairs of a marker and a row, as they are written.

    `orders` has the order of each marker, shape (m,); `markers` and `rows` say which marker cites
    what, shape (p,).
    """

    orders: Integers
    markers: Integers
    rows: Integers

    @cached_property
    def in_order(self) -> OrderedRows:
        """The same by the order of the markers, and then by row, each row of a marker once."""
        by_order = np.argsort(self.orders, kind="stable")
        places = np.empty_like(by_order)
        places[by_order] = np.arange(len(by_order))
        size = int(self.rows.max(initial=0)) + 1
        pairs = np.unique(places[self.markers] * size + self.rows)
        return OrderedRows(self.orders[by_order], pairs // size, pairs % size)


@frozen(eq=False)
class OrderedRows:
    """The distinct rows that m markers cite, by the order of the markers, and then by row.

    Fields as those of `CitedRows`; `orders` ascend.
    """

    orders: Integers
    markers: Integers
    rows: Integers

    @cached_property
    def order_of(self) -> Integers:
        """The order of the marker of each pair, shape (p,)."""
        orders: Integers = self.orders[self.markers]
        return orders

    def before(self, order: int) -> Integers:
        """Return what the last marker cites that stands before a place, and cites any row."""
        first = int(np.searchsorted(self.order_of, order))
        return self._of(first - 1) if first else self.rows[:0]

    def behind(self, order: int) -> Integers:
        """Return what the first marker cites that stands at a place or behind, and cites any."""
        first = int(np.searchsorted(self.order_of, order))
        return self._of(first) if first < len(self.rows) else self.rows[:0]

    def _of(self, pair: int) -> Integers:
        """Return what the marker of a pair cites."""
        return np.asarray(self.rows[self.markers == self.markers[pair]])

    def around(self, order: int, markers: int) -> Integers:
        """Return the rows that are cited at most so many markers away from a place, ascending."""
        return np.unique(self.rows[np.abs(self.order_of - order) <= markers])

    def count_beside(self, rows: Integers) -> Integers:
        """Return for each pair how many of the wanted rows (ascending) are cited close to it.

        Its own row does not count. Shape (p,).
        """
        citing = np.zeros((len(self.orders), len(rows)), dtype=bool)
        is_wanted = np.isin(self.rows, rows)
        citing[self.markers[is_wanted], np.searchsorted(rows, self.rows[is_wanted])] = True
        close = citing.copy()
        for step in range(1, ADJACENT + 1):
            together = (self.orders[step:] - self.orders[:-step] <= ADJACENT)[:, None]
            close[step:] |= citing[:-step] & together
            close[:-step] |= citing[step:] & together
        return np.asarray(close.sum(axis=1)[self.markers] - is_wanted)


def cited_rows(mentions: Sequence[Mention], row_of: Mapping[str, int]) -> CitedRows:
    """Return which rows of a pool the markers cite; keys that it lacks are passed over."""
    orders = np.array([mention.order for mention in mentions], dtype=np.int64)
    counts = [len(mention.keys) for mention in mentions]
    markers = np.repeat(np.arange(len(mentions)), counts)
    keys = chain.from_iterable(mention.keys for mention in mentions)
    rows = np.array([row_of.get(key, -1) for key in keys], dtype=np.int64)
    is_in_pool = rows >= 0
    return CitedRows(orders, markers[is_in_pool], rows[is_in_pool])
