"""Work that takes a while, with a progress bar that the writer can cancel.

The bar appears after half a second, where the client shows such bars; what is done sooner never
flickers.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar
from uuid import uuid4

from attrs import evolve
from lsprotocol import types

from cite_lsp.cancelling import Cancelled
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer

logger = logging.getLogger(__name__)

T = TypeVar("T")
ReportProgress = Callable[[int, int], None]
"""Called with how much is done, of how much; callable from a worker."""

NOTICEABLE = 0.5
"""Seconds of work before the client is shown that it goes on."""
_STEP = 0.1
"""Seconds between two reports."""


async def answer_with_progress(
    ls: CiteServer, uri: str, title: str, work: Callable[[Request, ReportProgress], T]
) -> T | None:
    """Let a worker answer as `CiteServer.answer` does; None, too, where the writer cancels."""
    bar = ProgressBar(ls, title)

    def task(request: Request) -> T | None:
        def cancelled() -> bool:
            return bar.cancelled or request.cancelled()

        try:
            return work(evolve(request, cancelled=cancelled), bar.report)
        except Cancelled:
            return None

    opening = asyncio.create_task(bar.open())
    try:
        return await ls.answer(uri, task, lengthy=True)
    finally:
        opening.cancel()
        bar.close()


class ProgressBar:
    """One progress bar, created by the server."""

    def __init__(self, ls: CiteServer, title: str) -> None:
        self._ls, self._title = ls, title
        self._token = f"cite-lsp-{uuid4()}"
        self._loop = asyncio.get_running_loop()
        self._shown = False
        self._sent_at = 0.0

    @property
    def cancelled(self) -> bool:
        """Whether the writer pressed cancel."""
        future = self._ls.work_done_progress.tokens.get(self._token)
        return future is not None and future.cancelled()

    async def open(self) -> None:
        """Show the bar once the work has taken a noticeable time."""
        if not self._ls.client.work_done_progress:
            return
        await asyncio.sleep(NOTICEABLE)
        # Known before the client is: it may be cancelled at once.
        self._ls.work_done_progress.tokens[self._token] = Future()
        try:
            await self._ls.window_work_done_progress_create_async(
                types.WorkDoneProgressCreateParams(self._token)
            )
        except Exception as error:
            # Whatever a client answers with: the work goes on without a bar.
            logger.warning("the client shows no progress: %s", error)
            return
        begin = types.WorkDoneProgressBegin(title=self._title, cancellable=True, percentage=0)
        self._ls.work_done_progress.begin(self._token, begin)
        self._shown = True

    def report(self, done: int, total: int, message: str = "") -> None:
        """Move the bar, with a message of its own if need be; may be called from a worker."""
        now = self._loop.time()
        if now - self._sent_at >= _STEP:
            self._sent_at = now
            self._loop.call_soon_threadsafe(self._send, done, total, message)

    def close(self) -> None:
        """Take the bar away, and its token with it, which would be stored for ever."""
        if self._shown:
            self._shown = False
            self._ls.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
        self._ls.work_done_progress.tokens.pop(self._token, None)

    def _send(self, done: int, total: int, message: str) -> None:
        if self._shown:
            report = types.WorkDoneProgressReport(
                message=message or f"{done:,} of {total:,}",
                percentage=100 * done // max(total, 1),
            )
            self._ls.work_done_progress.report(self._token, report)
