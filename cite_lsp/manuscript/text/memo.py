"""A cache of what functions return for texts: of many short texts, of few long ones.

Every state of a paragraph is read. Thousands of those of a chapter without blank lines would fill
the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

from cite_lsp.storage.memory import text_cache

LONG = 4_000
LONG_CACHE_SIZE = 128

Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")


def memoized(
    length: Callable[[*Arguments], int], most: int
) -> Callable[[Callable[[*Arguments], R]], Callable[[*Arguments], R]]:
    """Cache the results of a function: `most` of short texts, `LONG_CACHE_SIZE` of long ones.

    `length` returns from the arguments, which must be hashable, how many characters the text has.
    """

    def decorate(read: Callable[[*Arguments], R]) -> Callable[[*Arguments], R]:
        short, long = text_cache(most)(read), text_cache(LONG_CACHE_SIZE)(read)

        @wraps(read)
        def cached(*arguments: *Arguments) -> R:
            return (long if length(*arguments) > LONG else short)(*arguments)

        return cached

    return decorate
