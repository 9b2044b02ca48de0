"""Giving memory back: of mapped files, of closed ones, and when the process holds too much."""

from __future__ import annotations

import asyncio
import logging

from cite_lsp.cancelling import Cancel
from cite_lsp.server.session.server import CiteServer
from cite_lsp.storage.mapped_files import give_back_pages
from cite_lsp.storage.memory import give_back, resident

logger = logging.getLogger(__name__)

_PAUSE = 10.0
"""Seconds from the first file that is closed to giving memory back: others follow as a rule."""
_LOOK = 5.0
"""Seconds between two looks at how much the process holds, beside mapped files."""
MOST = 600
"""Megabytes from which on caches are emptied."""
_GROWTH = 1.2
"""What it holds then is needed; caches are emptied again when it has grown by this factor."""


class MemoryWatch:
    """Empties caches, and forgets what was read of files that are closed."""

    def __init__(self, server: CiteServer) -> None:
        self._server = server
        self._most = float(MOST)
        self._closing: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None

    def opened(self) -> None:
        """Begin to look how much the process holds."""
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())

    def closed(self) -> None:
        """Give memory back in a moment."""
        if self._closing is None or self._closing.done():
            self._closing = asyncio.create_task(self._give_back(_PAUSE))

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            give_back_pages()
            size = resident()
            if size is not None and size > self._most:
                await self._give_back()
                self._most = max(MOST, _GROWTH * (resident() or 0))

    async def _give_back(self, after: float = 0.0) -> None:
        await asyncio.sleep(after)
        try:
            await self._server.workers.prepare(self.work)
        except Exception:
            # Nothing awaits this task: what failed is logged here or nowhere.
            logger.exception("memory could not be given back")

    def work(self, cancelled: Cancel) -> None:
        """Forget what is of files that are not open, and empty the caches of texts."""
        server = self._server
        opened = frozenset(server.buffers.snapshot())
        server.engine.forget_others(opened)
        server.recent.forget_others(opened)
        server.findings.forget_others(opened)
        give_back()
