"""The memory of a process: caches of what texts say, giving back what they hold, and garbage.

Each is bounded by itself. Together they fill up in a session of days, with texts that were closed
long ago: whoever knows that they are of no more use has all of them emptied.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

R = TypeVar("R")

_MEGABYTE = 1 << 20


class _Caches:
    """What empties each of the caches. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._empty: list[Callable[[], None]] = []

    def add(self, empty: Callable[[], None]) -> None:
        with self._lock:
            self._empty.append(empty)

    def empty(self) -> None:
        with self._lock:
            for empty in self._empty:
                empty()


_caches = _Caches()


def text_cache(maxsize: int) -> Callable[[Callable[..., R]], _lru_cache_wrapper[R]]:
    """Cache what a function of a module returns for texts, as `lru_cache` does."""

    def decorate(function: Callable[..., R]) -> _lru_cache_wrapper[R]:
        cached = lru_cache(maxsize=maxsize)(function)
        _caches.add(cached.cache_clear)
        return cached

    return decorate


def give_back() -> None:
    """Empty the caches of texts, and give free memory back to the system where that is possible."""
    _caches.empty()
    trim()


def trim() -> None:
    """Give free memory back to the system where that is possible; takes some milliseconds."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, musl does not
        if trim is not None:
            trim(0)


@contextmanager
def without_collection() -> Iterator[None]:
    """Look for no garbage while many objects are made that stay: it takes longer than they do."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def resident() -> int | None:
    """Return the megabytes that this process has in memory, None where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") // _MEGABYTE
