"""Hints at sentences that may lack a citation, where the writer wants them.

Looking for them ranks papers for many sentences, so it is done in the background, when a draft is
opened or saved or, by setting, after a pause in the typing. Hints are stored by the words of the
sentence: they stay with it, and end when it cites.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from cite_lsp.project.workspace import is_bibliography
from cite_lsp.rules.findings import Hint
from cite_lsp.rules.missing_citations import hints_of
from cite_lsp.server.edits.gaps import gaps_in
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer

logger = logging.getLogger(__name__)

PAUSE = 1.5
"""Seconds without an edit after which a draft is looked through while it is being typed."""


class HintFinder:
    """Looks through drafts in the background, the last request for one counting."""

    def __init__(self, server: CiteServer, changed: Callable[[str], None]) -> None:
        """Take the server, and what is to be called when a draft has other hints than before."""
        self._server = server
        self._changed = changed
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def opened_or_saved(self, uri: str) -> None:
        """Look through a draft, unless hints are off."""
        if self._wanted(uri) != "off":
            self._want(uri, 0.0)

    def typed(self, uri: str) -> None:
        """Look through a draft after a pause, where hints are wanted while typing."""
        if self._wanted(uri) == "onType":
            self._want(uri, PAUSE)

    def forget(self, uri: str) -> None:
        """Forget a draft that was closed."""
        self._stop(uri)
        self._server.hints.pop(uri, None)

    def renew(self) -> None:
        """Look through all drafts again, or forget all hints where they are now off."""
        for document in self._server.documents:
            if self._wanted(document.uri) == "off":
                self.forget(document.uri)
            else:
                self._want(document.uri, 0.0)

    def _wanted(self, uri: str) -> str:
        document = self._server.documents.get(uri)
        return self._server.options_for(document.path).missing.hints if document else "off"

    def _want(self, uri: str, after: float) -> None:
        document = self._server.documents.get(uri)
        if document is None or is_bibliography(document.path):
            return
        self._stop(uri)
        self._tasks[uri] = asyncio.create_task(self._look(uri, after))

    def _stop(self, uri: str) -> None:
        if task := self._tasks.pop(uri, None):
            task.cancel()

    async def _look(self, uri: str, after: float) -> None:
        await asyncio.sleep(after)
        try:
            hints = await self._server.prepare(uri, find_hints)
        except Exception:
            # Nothing awaits this task: what failed is logged here or nowhere.
            logger.exception("%s could not be looked through for missing citations", uri)
            return
        if hints is not None and hints != self._server.hints.get(uri):
            self._server.hints[uri] = hints
            self._changed(uri)


def find_hints(request: Request) -> dict[str, Hint]:
    """Return the hints at the sentences of a draft that lack a citation, by their plain text."""
    draft = request.draft()
    return hints_of(draft, gaps_in(request, draft, None))
