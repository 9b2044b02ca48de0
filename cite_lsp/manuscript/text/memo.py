"""A cache of what functions return for texts: of many short texts, of few long ones.

A letter that is typed changes one paragraph, and every state of it is read. Where a chapter is one
paragraph, as in drafts without blank lines, thousands of its states would fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, TypeVarTuple

from cite_lsp.storage.memory import text_cache

LONG = 4_000
"""Characters from which on a text is long."""
LONG_CACHE_SIZE = 128

Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")


class Memoized(Generic[*Arguments, R]):
    """A function whose latest results are cached. Thread-safe."""

    def __init__(
        self, read: Callable[[*Arguments], R], length: Callable[[*Arguments], int], most: int
    ) -> None:
        """Take the function, the length of its text, and how many short results to cache."""
        self._length = length
        self._short = text_cache(most)(read)
        self._long = text_cache(LONG_CACHE_SIZE)(read)

    def __call__(self, *arguments: *Arguments) -> R:
        """Return what the function returns; the arguments must be hashable."""
        cache = self._long if self._length(*arguments) > LONG else self._short
        return cache(*arguments)

    @property
    def times_read(self) -> int:
        """How often the function had to be called."""
        return self._short.cache_info().misses + self._long.cache_info().misses


def memoized(
    length: Callable[[*Arguments], int], most: int
) -> Callable[[Callable[[*Arguments], R]], Memoized[*Arguments, R]]:
    """Cache the results of a function: `most` of short texts, `LONG_CACHE_SIZE` of long ones.

    `length` returns from the arguments how many characters the text has.
    """
    return lambda read: Memoized(read, length, most)
