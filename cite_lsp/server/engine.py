"""The recommender behind the server: built in a worker, when the first answer needs it.

Importing it costs numpy and the encoder's runtime, which `initialize` must not wait for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from cite_lsp.recommend.draft import DraftRecommender

Read = Callable[[Path], str | None]


@frozen
class Setup:
    """All that the recommender depends on; a different setup is a different recommender."""

    encoder: str
    extra_bibliographies: tuple[Path, ...] = ()
    workspaces: tuple[Path, ...] = ()


def build(setup: Setup, read: Read) -> DraftRecommender:
    """Build the recommender that ships; this is where the heavy imports happen."""
    from cite_lsp.recommend.draft import DraftRecommender

    return DraftRecommender(
        encoder=setup.encoder,
        extra_bibliographies=setup.extra_bibliographies,
        workspaces=setup.workspaces,
        read=read,
    )


class Engine:
    """The current recommender: `configure` it anywhere, use `recommender` only in a worker."""

    def __init__(
        self, read: Read, builder: Callable[[Setup, Read], DraftRecommender] = build
    ) -> None:
        self._read = read
        self._builder = builder
        self._lock = threading.Lock()
        self._setup = Setup(encoder="default")
        self._built: tuple[Setup, DraftRecommender] | None = None

    def configure(self, setup: Setup) -> bool:
        """Take over a setup and say whether it is a new one."""
        changed, self._setup = setup != self._setup, setup
        return changed

    @property
    def recommender(self) -> DraftRecommender:
        """The recommender of the current setup; building it blocks."""
        with self._lock:
            if self._built is None or self._built[0] != self._setup:
                self._built = (self._setup, self._builder(self._setup, self._read))
            return self._built[1]
