"""Sentences that may lack a citation, and citations that may be wrong, where the writer wants them.

Looking for them ranks papers for many places, so it is done in the background, when a draft is
opened or saved or, by setting, after a pause in the typing. What is found is stored by the words of
the sentence: it stays with it, and ends when that cites, or cites something else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import evolve

from cite_lsp.project.workspace import is_bibliography
from cite_lsp.rules.findings import Ranked
from cite_lsp.rules.missing_citations import hints_of
from cite_lsp.server.edits.gaps import gaps_in
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.watch.warm_up import unless_replaced

if TYPE_CHECKING:
    from cite_lsp.library.entries import Entry
    from cite_lsp.project.citations import Citation
    from cite_lsp.recommend.engine import DraftRecommender

logger = logging.getLogger(__name__)

PAUSE = 1.5
"""Seconds without an edit after which a draft is looked through while it is being typed."""


class RankedFinder:
    """Looks through drafts in the background, the last request for one counting."""

    def __init__(self, server: CiteServer, changed: Callable[[str], None]) -> None:
        """Take the server, and what is to be called when something else is found in a draft."""
        self._server = server
        self._changed = changed
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def opened_or_saved(self, uri: str) -> None:
        """Look through a draft, unless nothing is wanted of it."""
        if self._wanted(uri) != "off":
            self._want(uri, 0.0)

    def typed(self, uri: str) -> None:
        """Look through a draft after a pause, where hints are wanted while typing."""
        if self._wanted(uri) == "onType":
            self._want(uri, PAUSE)

    def forget(self, uri: str) -> None:
        """Forget a draft that was closed."""
        self._stop(uri)
        self._server.ranked.pop(uri, None)

    def renew(self) -> None:
        """Look through all drafts again, or forget what was found where that is now off."""
        for buffer in self._server.buffers:
            if self._wanted(buffer.uri) == "off":
                self.forget(buffer.uri)
            else:
                self._want(buffer.uri, 0.0)

    def _wanted(self, uri: str) -> str:
        buffer = self._server.buffers.get(uri)
        if buffer is None:
            return "off"
        options = self._server.options_for(buffer.path)
        hints = options.missing.hints
        return "onSave" if hints == "off" and options.diagnostics.doubtful_citation else hints

    def _want(self, uri: str, after: float) -> None:
        buffer = self._server.buffers.get(uri)
        if buffer is None or is_bibliography(buffer.path):
            return
        self._stop(uri)
        self._tasks[uri] = asyncio.create_task(self._look(uri, after))

    def _stop(self, uri: str) -> None:
        if task := self._tasks.pop(uri, None):
            task.cancel()

    async def _look(self, uri: str, after: float) -> None:
        await asyncio.sleep(after)
        try:
            ranked = await self._server.prepare(uri, self._find)
        except Exception:
            # Nothing awaits this task: what failed is logged here or nowhere.
            logger.exception("%s could not be looked through for missing and wrong citations", uri)
            return
        if ranked is not None and ranked != self._server.ranked.get(uri):
            self._server.ranked[uri] = ranked
            self._changed(uri)

    def _find(self, request: Request) -> Ranked | None:
        """Return what the settings want of a draft: hints at missing citations, doubtful citations.

        None where the settings have changed meanwhile: with those of now it is wanted again.
        """
        draft, options, recommender = request.draft(), request.options, request.recommender
        with unless_replaced(request, recommender):
            ranked = Ranked()
            if options.missing.hints != "off":
                ranked = evolve(ranked, hints=hints_of(draft, gaps_in(request, draft, None)))
            if options.diagnostics.doubtful_citation:
                ranked = evolve(ranked, doubts=self._doubts(request, recommender))
            return ranked
        return None

    def _doubts(
        self, request: Request, recommender: DraftRecommender
    ) -> dict[Citation, Entry | None]:
        """Return the doubtful citations of a draft; what was judged before is not judged again."""
        # Imported where needed: a server starts without models.
        from cite_lsp.recommend.missing.doubts import find_doubts

        patient = self._server.workers.giving_way(request.cancelled)
        recommender.prepare(request.path, cancelled=patient)
        recommender.adapt(request.path, cancelled=patient)
        before = request.ranked.doubts
        return find_doubts(recommender, request.draft(), before, cancelled=patient)
