"""The recommenders behind the server: each is built in a worker, when the first answer needs it.

Importing it costs numpy and the encoder's runtime, which `initialize` must not wait for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.server.config.setup import Setup, SetupOf
from cite_lsp.server.session.buffers import BufferStore

if TYPE_CHECKING:
    from cite_lsp.recommend.engine import DraftRecommender
    from cite_lsp.recommend.models import DraftModels


Texts = BufferStore | FilesOnDisk
Builder = Callable[..., "DraftRecommender"]
"""Builds the recommender of a setup, as `build` does."""


def build(
    setup: Setup,
    texts: Texts,
    *,
    models: DraftModels | None = None,
    setups: SetupOf | None = None,
    typing: bool = True,
) -> DraftRecommender:
    """Build the recommender that ships; this is where the heavy imports happen.

    Without `models` it loads its own. With `setups` a draft is not learned from where one of its
    files stands in a folder that forbids it. `typing` is that of `DraftRecommender`.
    """
    # Imported where needed: a server starts without models.
    from cite_lsp.recommend.corpus.registry import Corpora
    from cite_lsp.recommend.engine import DraftRecommender
    from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
    from cite_lsp.recommend.models import ModelNames
    from cite_lsp.recommend.published.methods import MethodChoice, Methods
    from cite_lsp.search.remote.address import RemoteAccess

    may_share = (lambda path: setups(path).other_drafts) if setups is not None else None
    reader = DraftReader(
        texts.read,
        texts.open_text,
        extra_bibliographies=setup.extra_bibliographies,
        zotero=setup.zotero,
        workspaces=setup.workspaces,
        cite_commands=setup.cite_commands,
        patience=setup.patience,
    )
    access = RemoteAccess.from_environment(setup.remote_token, setup.remote_certificate)
    methods = Methods(
        MethodChoice(setup.method, setup.two_phase.candidates, setup.two_phase.order == "steps")
    )
    return DraftRecommender(
        reader,
        models=models or ModelNames(setup.encoder, setup.translator),
        methods=methods,
        corpora=Corpora(setup.corpora, access=access, wait=setup.remote_wait, methods=methods),
        other_drafts=OtherDrafts(may_share=may_share) if setup.other_drafts else None,
        typing=typing,
    )


class Engine:
    """A recommender for each setup, and models for each of their names. Thread-safe.

    Call `configure` anywhere, and `recommender` only in a worker. The engine owns the recommenders
    that it builds: each is closed once nothing needs it any more, and all of them with the engine.
    Work that still uses one then gets what is in memory.
    """

    def __init__(self, texts: Texts, builder: Builder = build) -> None:
        self.setup = Setup(encoder="default")
        """The setup of the workspace, for what belongs to no document."""
        self._setups: SetupOf | None = None
        self._texts = texts
        self._builder = builder
        self._lock = threading.Lock()
        self._built: Mapping[Setup, DraftRecommender] = {}
        self._models: dict[tuple[str, str], DraftModels] = {}
        self._closed = False

    def configure(
        self, setup: Setup, setups: SetupOf | None = None, drafts: Iterable[Path] = ()
    ) -> None:
        """Set the setup of the workspace, and what returns the setup for a path.

        Recommenders that neither the workspace nor one of `drafts` needs are forgotten.
        """
        self.setup, self._setups = setup, setups
        in_use = {setup, *map(self.setup_of, drafts)}
        with self._lock:
            unused: list[DraftRecommender | DraftModels] = [
                built for key, built in self._built.items() if key not in in_use
            ]
            self._built = {key: built for key, built in self._built.items() if key in in_use}
            names = {(needed.encoder, needed.translator) for needed in in_use}
            unused += [models for name, models in self._models.items() if name not in names]
            self._models = {name: models for name, models in self._models.items() if name in names}
        for owned in unused:
            owned.close()

    def setup_of(self, path: Path) -> Setup:
        """Return the setup for a document."""
        setups = self._setups
        return setups(path) if setups is not None else self.setup

    def built(self, setup: Setup) -> DraftRecommender | None:
        """Return the recommender of a setup if it is built; asking never blocks."""
        return self._built.get(setup)

    def recommender(self, setup: Setup) -> DraftRecommender:
        """Return the recommender of a setup; building it blocks."""
        with self._lock:
            recommender = self._built.get(setup)
            if recommender is None:
                from cite_lsp.recommend.models import DraftModels, ModelNames

                names = setup.encoder, setup.translator
                models = self._models.get(names)
                if models is None:
                    models = self._models[names] = DraftModels(ModelNames(*names))
                recommender = self._builder(setup, self._texts, models=models, setups=self.setup_of)
                self._built = {**self._built, setup: recommender}
        if self._closed:  # meanwhile: nothing else will
            self.close()
        return recommender

    def forget_others(self, paths: Collection[Path]) -> None:
        """Let the recommenders that are built forget the drafts read at other files than these."""
        for recommender in tuple(self._built.values()):
            recommender.reader.forget_others(paths)

    def close(self) -> None:
        """Close the recommenders that are built; one that is being built is closed after that."""
        self._closed = True
        for built in self._built.values():
            built.close()
        for models in self._models.values():
            models.close()
