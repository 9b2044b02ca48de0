"""Getting drafts ready in the background, and telling the client how far that is.

Completions are answered all the while.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cite_lsp.cancelling import Cancelled
from cite_lsp.server.session.progress import NOTICEABLE
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer
from cite_lsp.storage.memory import trim

if TYPE_CHECKING:
    from cite_lsp.recommend.engine import DraftRecommender

logger = logging.getLogger(__name__)

_MARKERS = 20
"""Markers of a draft that are ranked again at a time: other work in the background comes between
them."""


class Readiness:
    """Gets one draft after the other ready; a second call for one does not start it over.

    Once all are, how their writers cite is learned, a little at a time.
    """

    def __init__(self, server: CiteServer) -> None:
        self._server = server
        self._wanted: dict[str, None] = {}
        self._adapting: dict[str, None] = {}
        self._outcome: tuple[str, str] | None = None
        self.task: asyncio.Task[None] | None = None

    def want(self, uri: str) -> None:
        """Get a draft ready, after those that are waiting."""
        self._wanted[uri] = None
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while self._wanted or self._adapting:
            if self._wanted:
                uri = next(iter(self._wanted))
                del self._wanted[uri]
                await self._get_ready(uri)
            else:
                await self._learn(next(iter(self._adapting)))

    async def _get_ready(self, uri: str) -> None:
        report = self._server.status.report
        slow = asyncio.get_running_loop().call_later(NOTICEABLE, report, "preparing")
        try:
            semantic = await self._server.prepare(uri, self.make_ready)
        except Exception as error:
            # Nothing awaits this task: what failed is logged here or nowhere.
            logger.exception("%s could not be made ready", uri)
            self._outcome = "error", f"papers are ranked by words only: {error}"
        else:
            if semantic is not None:
                self._outcome = _outcome(semantic)
                self._adapting[uri] = None
        finally:
            slow.cancel()
        if self._outcome is not None:
            report(*self._outcome)  # of a draft that was closed meanwhile: the state before

    async def _learn(self, uri: str) -> None:
        try:
            more = await self._server.prepare(uri, self._adapt) is False
        except Exception:
            # The draft is ranked as drafts are at large.
            logger.exception("%s: how its writer cites could not be learned", uri)
            more = False
        if not more:
            self._adapting.pop(uri, None)

    def make_ready(self, request: Request) -> bool | None:
        """Read what the draft needs, embed what is new; say if papers are ranked by meaning.

        None where the settings have changed meanwhile: with those of now it is wanted again.
        """
        # Embedding a large library takes minutes, in which the writer goes on typing.
        patient = self._server.workers.giving_way(request.cancelled)
        recommender = request.recommender
        with unless_replaced(request, recommender):
            recommender.prepare(request.path, cancelled=patient)
            trim()  # models were unpacked, and a library was read, in memory that is free again
            return recommender.semantic
        return None

    def _adapt(self, request: Request) -> bool:
        """Learn how the writer of the draft cites; return whether nothing is left to learn."""
        patient = self._server.workers.giving_way(request.cancelled)
        recommender = request.recommender
        with unless_replaced(request, recommender):
            return recommender.adapt(request.path, most=_MARKERS, cancelled=patient)
        return True


@contextmanager
def unless_replaced(request: Request, recommender: DraftRecommender) -> Iterator[None]:
    """Let work with a recommender end quietly where another one has taken its place meanwhile.

    All drafts are made ready again then.
    """
    try:
        yield
    except Cancelled:
        if recommender is request.engine.built(request.setup):
            raise


def _outcome(semantic: bool) -> tuple[str, str]:
    if semantic:
        return "ready", ""
    return "error", "papers are ranked by words only: the encoder cannot be loaded (see the log)"
