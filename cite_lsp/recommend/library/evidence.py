"""What is known of the papers of a draft's library from how they were cited: here and elsewhere.

Others cited them before, the writer's other drafts do, and the draft itself at its other markers.
It is found out where a draft is prepared, which may take a while, and asked for at every letter.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from cite_lsp.encode.cached import CachedEncoder
from cite_lsp.encode.model import Cancel, stop_if
from cite_lsp.manuscript import Context, Manuscript, Marker
from cite_lsp.project.draft import Draft, context_without_keys, known_keys
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.evidence.cited_before import CitedBefore, CitedBeforeCache
from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
from cite_lsp.recommend.evidence.other_drafts import CitingDraft, OtherDraftsInLibrary
from cite_lsp.recommend.library.adaptation import (
    Named,
    Observation,
    Observations,
    ObservedDrafts,
    named,
)
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.storage.caches import ByObject, LastUsed

log = logging.getLogger(__name__)

Ask = Callable[[Draft, Context, Sequence[str]], Observation]


class Experience:
    """What is known of the papers of the libraries of drafts. Thread-safe."""

    def __init__(
        self,
        other_drafts: OtherDrafts | None = None,
        teaches: Callable[[Path], bool] | None = None,
    ) -> None:
        """Take where drafts tell each other how they cite; without it every draft stands alone.

        So does a draft with a file of which `teaches` says that it takes no part.
        """
        self._other_drafts = other_drafts
        self._teaches = teaches
        self._precedented = CitedBeforeCache()
        self._elsewhere: ByObject[Pool, LastUsed[Path, OtherDraftsInLibrary | None]] = ByObject()
        self._observed = ObservedDrafts()

    def drafts(self) -> tuple[CitingDraft, ...]:
        """Return what the drafts of the writer cited when they were last prepared."""
        return self._other_drafts.all() if self._other_drafts is not None else ()

    def before(self, pool: Pool) -> CitedBefore | None:
        """Return how others cited the papers of a library before, None where nobody did."""
        return self._precedented.of(pool)

    def elsewhere(self, pool: Pool, root: Path) -> OtherDraftsInLibrary | None:
        """Return how the writer's drafts beside the one of this main file cite its library."""
        kept = self._elsewhere.get(pool)
        return kept.get(root) if kept is not None else None

    def observations(self, root: Path) -> Observations:
        """Return what the markers of the draft of this main file have told."""
        return self._observed.of(root)

    def look_up(
        self, pool: Pool, checkpoint: str, encoder_fingerprint: str, corpora: Sequence[CorpusView]
    ) -> None:
        """Find out how others cited the papers of a library before.

        `checkpoint` are the weights that embedded it, `placed_by` is the fingerprint of the query
        encoder; what the sources of `corpora` cite counts too.
        """
        try:
            self._precedented.update(pool, checkpoint, encoder_fingerprint, corpora)
        except RankerError as error:
            log.error("%s; the library is ranked without how others cite its papers", error)

    def exchange(self, draft: Draft, pool: Pool, query_encoder: CachedEncoder | None) -> None:
        """Keep how this draft cites, and read how the others cite papers of its library."""
        if self._other_drafts is None:
            return
        root = draft.project.root
        files = [path for path, _ in draft.project.files]
        kept = self._elsewhere.setdefault(pool, LastUsed)
        if self._teaches is not None and not all(map(self._teaches, (root, *files))):
            kept.keep(root, None)
            return
        self._other_drafts.keep(root, draft.document, draft.library, query_encoder, files)
        told, known = self._other_drafts.beside(root, draft.document.title), kept.get(root)
        if told is None or known is None or known.citations is not told:
            kept.keep(root, told.in_library(draft.library.entries) if told is not None else None)

    def observe(
        self,
        draft: Draft,
        papers: int,
        ask: Ask,
        most: int | None = None,
        cancelled: Cancel | None = None,
    ) -> bool:
        """Ask for some markers of the draft again, to learn what its writer does.

        `papers` is the size of its library. `ask` is given the draft, the context of a marker
        without its keys, and those of them that the library has. Returns whether none of those that
        are worth asking for is left; with `most`, only so many are asked for now.

        Raises:
            Cancelled: `cancelled` said so; what was asked is kept.
        """

        def ask_again(manuscript: Manuscript, marker: Marker) -> tuple[Named, Observation]:
            stop_if(cancelled)
            context = context_without_keys(draft, manuscript, marker)
            own = draft.document.mentions[context.order]
            return named(own), ask(draft, context, known_keys(draft, marker))

        root = draft.project.root
        return self._observed.update(root, draft.document, papers, ask_again, most)
