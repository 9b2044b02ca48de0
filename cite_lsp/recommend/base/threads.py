"""Threads for what runs beside who asks: made when there is something for them to do."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class LazyThreads:
    """Up to so many threads, all made by the first work for them. Thread-safe.

    A process that was forked has none of its parent's, and makes its own.
    """

    def __init__(self, most: int, name: str) -> None:
        """Take how many threads there are at most, and what their names begin with."""
        self._most, self._name = most, name
        self._lock = Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Let a thread do some work, after what was given to all of them before."""
        with self._lock:
            if self._pool is None or self._process != os.getpid():
                self._pool = ThreadPoolExecutor(self._most, thread_name_prefix=self._name)
                self._process = os.getpid()
            return self._pool.submit(work, *args, **kwargs)

    def close(self) -> None:
        """Let go of the threads once they have done what they were given.

        More work makes others.
        """
        with self._lock:
            if self._pool is not None and self._process == os.getpid():
                self._pool.shutdown(wait=False)
            self._pool = None


def spare_processors(most: int) -> int:
    """Return how many things can run beside who asks, 1 to `most`."""
    return min(max((os.cpu_count() or 1) - 1, 1), most)
