"""Polling the bibliographies of open drafts.

Other programs write them: the diagnostics of a draft would stay as they are until it is edited.
Most editors on Linux report no change of a file, the others those in the workspace alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from cite_lsp.cancelling import Cancel
from cite_lsp.library.load.read import stamps
from cite_lsp.server.session.recent_results import Stamps, stamps_of
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.workers import Workers

_PAUSE = 1.0
"""Seconds between two looks at the files: a change is to be noticed within two."""


def bibliography_stamps(request: Request) -> Stamps:
    """Return the bibliographies of a draft as they are on disk, but for those that are open."""
    if request.is_bibliography:
        return ()
    paths = (bibliography.path for bibliography in request.draft().library.bibliographies)
    return stamps_of(path for path in paths if path not in request.snapshot)


class PolledFiles:
    """Looks at the files of documents now and then. For the event loop alone."""

    def __init__(
        self,
        workers: Workers,
        changed: Callable[[str], None],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """Take the workers that look, and what is called with a document's URI, once a change."""
        self._workers = workers
        self._changed = changed
        self._sleep = sleep
        self._stamps: dict[str, Stamps] = {}
        self._task: asyncio.Task[None] | None = None

    def follow(self, uri: str, current_stamps: Stamps) -> None:
        """Follow the files of a document from now on, which were so a moment ago."""
        self._stamps.pop(uri, None)
        if current_stamps:
            self._stamps[uri] = current_stamps
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._work())

    def forget(self, uri: str) -> None:
        """Follow the files of a document no longer."""
        self._stamps.pop(uri, None)

    async def _work(self) -> None:
        while self._stamps:
            await self._sleep(_PAUSE)
            stamps_before = dict(self._stamps)
            changed = await self._workers.poll(partial(_changes, stamps_before))
            for uri in changed:
                if self._stamps.get(uri) is stamps_before[uri]:
                    del self._stamps[uri]
                    self._changed(uri)


def _changes(stamps_by_uri: dict[str, Stamps], cancelled: Cancel) -> list[str]:
    return [
        uri
        for uri, files in stamps_by_uri.items()
        if not cancelled() and any(stamps(path) != before for path, before in files)
    ]
