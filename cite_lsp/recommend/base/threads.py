"""A thread pool whose threads are started by the first task."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class LazyThreads:
    """A thread pool that is made when the first task is submitted. Thread-safe.

    A forked process makes a pool of its own.
    """

    def __init__(self, most: int, name: str) -> None:
        """Take the number of threads, and the prefix of their names."""
        self._most, self._name = most, name
        self._lock = Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def submit(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submit a task; tasks start in the order in which they were submitted."""
        with self._lock:
            if self._pool is None or self._process != os.getpid():
                self._pool = ThreadPoolExecutor(self._most, thread_name_prefix=self._name)
                self._process = os.getpid()
            return self._pool.submit(task, *args, **kwargs)

    def close(self) -> None:
        """Shut the pool down once the submitted tasks are done.

        A later task makes a new pool.
        """
        with self._lock:
            if self._pool is not None and self._process == os.getpid():
                self._pool.shutdown(wait=False)
            self._pool = None


def spare_processors(most: int) -> int:
    """Return how many tasks can run beside the calling thread, 1 to `most`."""
    return min(max((os.cpu_count() or 1) - 1, 1), most)


ENCODING_THREADS = spare_processors(4)
"""Texts that are encoded at a time beside a writer, who leaves most processors idle."""
