"""The recommender behind the server: built in a worker, when the first answer needs it.

Importing it costs numpy and the encoder's runtime, which `initialize` must not wait for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from cite_lsp.project.folders import absolute, holding
from cite_lsp.project.workspace_paths import WorkspacePaths

if TYPE_CHECKING:
    from cite_lsp.recommend.engine import DraftRecommender
    from cite_lsp.server.config.options import Options
    from cite_lsp.server.session.documents import DocumentStore


@frozen
class Setup:
    """All that the recommender depends on; a different setup is a different recommender.

    `patience` is how many seconds a bibliography may take that TeX itself is asked for: a server
    waits for none, since it is asked letter by letter.
    """

    encoder: str
    extra_bibliographies: tuple[Path, ...] = ()
    workspaces: tuple[Path, ...] = ()
    cite_commands: tuple[str, ...] = ()
    corpora: tuple[str, ...] | None = None
    remote_token: str = field(default="", repr=False)
    remote_certificate: str = ""
    remote_wait: float = 0.3
    translator: str = "dictionary"
    other_drafts: bool = True
    patience: float = 0.0


def setup_of(
    options: Options, extra_bibliographies: Iterable[Path], workspaces: tuple[Path, ...] = ()
) -> Setup:
    """Return what the recommender depends on of all settings."""
    return Setup(
        encoder=options.encoder,
        extra_bibliographies=tuple(map(absolute, extra_bibliographies)),
        workspaces=workspaces,
        cite_commands=options.cite_commands,
        corpora=options.corpora,
        remote_token=options.remote.token,
        remote_certificate=options.remote.certificate,
        remote_wait=options.remote.wait / 1000,
        translator=options.translator,
        other_drafts=options.other_drafts,
    )


def build(setup: Setup, documents: DocumentStore) -> DraftRecommender:
    """Build the recommender that ships; this is where the heavy imports happen."""
    from cite_lsp.recommend.engine import DraftRecommender
    from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
    from cite_lsp.search.remote.address import RemoteAccess

    return DraftRecommender(
        encoder=setup.encoder,
        extra_bibliographies=setup.extra_bibliographies,
        workspaces=setup.workspaces,
        cite_commands=setup.cite_commands,
        corpora=setup.corpora,
        remote_access=RemoteAccess.from_environment(setup.remote_token, setup.remote_certificate),
        remote_wait=setup.remote_wait,
        translator=setup.translator,
        other_drafts=OtherDrafts() if setup.other_drafts else None,
        patience=setup.patience,
        read=documents.read,
        buffer=documents.buffer,
    )


class Engine:
    """The current recommender: `configure` it anywhere, use `recommender` only in a worker."""

    def __init__(
        self,
        documents: DocumentStore,
        builder: Callable[[Setup, DocumentStore], DraftRecommender] = build,
    ) -> None:
        self._documents = documents
        self._builder = builder
        self._lock = threading.Lock()
        self._setup = Setup(encoder="default")
        self._paths = WorkspacePaths()
        self._built: tuple[Setup, DraftRecommender] | None = None

    def configure(self, setup: Setup, paths: WorkspacePaths | None = None) -> bool:
        """Take over a setup, and what the workspace may name; say whether the setup is new."""
        changed, self._setup = setup != self._setup, setup
        self._paths = paths or WorkspacePaths(setup.workspaces)
        return changed

    @property
    def paths(self) -> WorkspacePaths:
        """What may be done with the paths that the workspace names."""
        return self._paths

    @property
    def workspaces(self) -> tuple[Path, ...]:
        """The folders of the workspace, its root first."""
        return self._setup.workspaces

    def workspace_of(self, path: Path) -> Path | None:
        """Return the folder of the workspace that holds a path, the innermost of several."""
        return next(iter(holding(path, self.workspaces)), None)

    @property
    def extra_bibliographies(self) -> tuple[Path, ...]:
        """The bibliographies of the settings, which every draft can cite from."""
        return self._setup.extra_bibliographies

    @property
    def present(self) -> DraftRecommender | None:
        """The recommender of the current setup if it is built; asking never blocks."""
        built = self._built
        return built[1] if built is not None and built[0] == self._setup else None

    @property
    def recommender(self) -> DraftRecommender:
        """The recommender of the current setup; building it blocks."""
        with self._lock:
            if self._built is None or self._built[0] != self._setup:
                self._built = (self._setup, self._builder(self._setup, self._documents))
            return self._built[1]
