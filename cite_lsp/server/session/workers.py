"""Work that must not run on the event loop: a few threads of our own, and flags that stop them.

The threads that pygls offers share their pool with the reader of stdin and cannot be cancelled.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cite_lsp.cancelling import Cancel, Cancelled

_MOMENT = 0.1
_PATIENCE = 2.0
"""Seconds without an answer that are called quiet, and for which at most that is waited for."""
_GLANCE = 0.005
"""Seconds between two looks whether a request is still being answered."""

T = TypeVar("T")


class Workers:
    """Threads of four kinds: none has to wait for work of another kind to end.

    There are two for requests that come at every keystroke, two for what is lengthy (whole drafts
    that are looked through), one for what no request waits for (reading, embedding), and one that
    looks now and then whether files have changed.
    """

    def __init__(self) -> None:
        self._requests = ThreadPoolExecutor(2, thread_name_prefix="request")
        self._lengthy = ThreadPoolExecutor(2, thread_name_prefix="lengthy")
        self._background = ThreadPoolExecutor(1, thread_name_prefix="background")
        self._polling = ThreadPoolExecutor(1, thread_name_prefix="polling")
        self._running: set[threading.Event] = set()
        self._stopped = False
        self._answering = 0
        self._answered = 0.0

    async def answer(self, work: Callable[[Cancel], T], *, lengthy: bool = False) -> T:
        """Run what a request asks for; cancelling the awaiting task raises the worker's flag.

        What is `lengthy` takes no thread from other requests, and nothing gives way to it.
        """
        if lengthy:
            return await self._run(self._lengthy, work)
        self._answering += 1
        try:
            return await self._run(self._requests, work)
        finally:
            self._answering -= 1
            self._answered = time.monotonic()

    async def prepare(self, work: Callable[[Cancel], T]) -> T:
        """Run what no request waits for, one after the other, once it is quiet."""
        await self.quiet()
        return await self._run(self._background, work)

    async def poll(self, work: Callable[[Cancel], T]) -> T:
        """Look whether files have changed: at once, whatever else is being done."""
        return await self._run(self._polling, work)

    async def quiet(self) -> None:
        """Wait until no request has been answered for a moment, at most for a few.

        Threads share the interpreter: what starts beside a request delays it.
        """
        patience = time.monotonic() + _PATIENCE
        await asyncio.sleep(_MOMENT)
        while time.monotonic() < patience and (
            self._answering or time.monotonic() < self._answered + _MOMENT
        ):
            await asyncio.sleep(_MOMENT / 4)

    def giving_way(self, cancelled: Cancel) -> Cancel:
        """Return a `cancelled` for long work in the background: it gives way to requests.

        Asking it takes as long as a request is being answered, at most a few seconds.
        """

        def stopped_or_cancelled() -> bool:
            patience = time.monotonic() + _PATIENCE
            while self._answering and not cancelled() and time.monotonic() < patience:
                time.sleep(_GLANCE)
            return cancelled()

        return stopped_or_cancelled

    def stop(self) -> None:
        """Raise all flags and start nothing more; what is running is not waited for."""
        self._stopped = True
        for flag in tuple(self._running):
            flag.set()
        for threads in (self._requests, self._lengthy, self._background, self._polling):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _run(self, executor: ThreadPoolExecutor, work: Callable[[Cancel], T]) -> T:
        if self._stopped:
            raise asyncio.CancelledError  # the server ends: no answer is wanted
        flag = threading.Event()
        self._running.add(flag)
        waiting = [work]
        try:
            return await asyncio.wrap_future(executor.submit(_begin, waiting, flag.is_set))
        finally:
            # However the wait ended: nothing more is wanted from this worker.
            flag.set()
            self._running.discard(flag)
            # What was called off stays in the queue of busy threads: without the texts it is about.
            waiting.clear()


def _begin(waiting: list[Callable[[Cancel], T]], cancelled: Cancel) -> T:
    """Do what waits for a thread.

    Raises:
        Cancelled: it was called off in the last moment.
    """
    try:
        work = waiting.pop()
    except IndexError:
        raise Cancelled from None
    return work(cancelled)
