"""Sequences whose items are computed when first accessed.

A library has thousands of papers, and one query needs the authors and spellings of few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class LazyRows(Sequence[T], Generic[T]):
    """A sequence whose items are computed on first access. Thread-safe if `compute` is."""

    def __init__(self, size: int, compute: Callable[[int], T]) -> None:
        self._size = size
        self._compute = compute
        self._items: dict[int, T] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, row: int) -> T: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[T]: ...
    def __getitem__(self, row: int | slice) -> T | Sequence[T]:
        if isinstance(row, slice):
            return [self[index] for index in range(*row.indices(self._size))]
        item = self._items.get(row)
        if item is None:
            number = int(row)
            if not -self._size <= number < self._size:
                raise IndexError(number)
            item = self._items[number] = self._compute(number)
        return item

    def __iter__(self) -> Iterator[T]:
        return (self[row] for row in range(self._size))
