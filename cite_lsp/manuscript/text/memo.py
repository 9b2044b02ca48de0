"""Readings that are kept by what was read: many of short texts, few of long ones.

A letter that is typed changes one paragraph, and every state of it is read. Where a chapter is one
paragraph, as in drafts without blank lines, thousands of its states would fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, TypeVar, TypeVarTuple

LONG = 4_000
"""Characters from which on a text is long."""
LONG_KEPT = 128

Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")


class Remembered(Generic[*Arguments, R]):
    """A function whose latest results are kept. Thread-safe."""

    def __init__(
        self, read: Callable[[*Arguments], R], length: Callable[[*Arguments], int], most: int
    ) -> None:
        """Take the function, what tells how long the text is, and how many short ones are kept."""
        self._length = length
        self._short = lru_cache(maxsize=most)(read)
        self._long = lru_cache(maxsize=LONG_KEPT)(read)

    def __call__(self, *arguments: *Arguments) -> R:
        """Return what the function returns; the arguments must be hashable."""
        cache = self._long if self._length(*arguments) > LONG else self._short
        return cache(*arguments)

    @property
    def times_read(self) -> int:
        """How often the function had to be called."""
        return self._short.cache_info().misses + self._long.cache_info().misses


def remembered(
    length: Callable[[*Arguments], int], most: int
) -> Callable[[Callable[[*Arguments], R]], Remembered[*Arguments, R]]:
    """Keep the results of a function, of up to `most` short texts and of `LONG_KEPT` long ones.

    `length` tells from the arguments how many characters the text has.
    """
    return lambda read: Remembered(read, length, most)
