"""Sequences of which each item is found out when it is first asked for.

A library has thousands of papers, and a sentence asks for the authors and the spellings of few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class ByRow(Sequence[T], Generic[T]):
    """What is found out about a row when it is first asked for. Thread-safe if `find` is."""

    def __init__(self, size: int, find: Callable[[int], T]) -> None:
        self._size = size
        self._find = find
        self._found: dict[int, T] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, row: int) -> T: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[T]: ...
    def __getitem__(self, row: int | slice) -> T | Sequence[T]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(self._size))]
        known = self._found.get(row)
        if known is None:
            number = int(row)
            if not -self._size <= number < self._size:
                raise IndexError(number)
            known = self._found[number] = self._find(number)
        return known

    def __iter__(self) -> Iterator[T]:
        return (self[row] for row in range(self._size))
