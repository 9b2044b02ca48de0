"""How the papers of a library were cited: by others, by other drafts, by the draft itself.

It is computed when a draft is prepared, which may take a while, and used in every ranking.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from attrs import frozen

from cite_lsp.encode.encoder import Encoder
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.evidence.cited_before import CitedBefore, CitedBeforeCache
from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
from cite_lsp.recommend.evidence.other_drafts import CitingDraft, OtherDraftCitations
from cite_lsp.recommend.library.adaptation import (
    Observations,
    ObservedDrafts,
)
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.storage.caches import ByObject, LastUsed

log = logging.getLogger(__name__)

_InLibrary = tuple[OtherDraftCitations | None, OtherDraftCitations | None]
"""The citations of other drafts, and the same for the papers of a library."""
_NO_DRAFTS: _InLibrary = (None, None)


@frozen(eq=False)
class DraftHistory:
    """What the ranking of one draft knows of citations.

    observations: those of the draft's own markers. other_drafts: the citations of the writer's
    other drafts. cited_before: how others cited the papers of the library.
    """

    observations: Observations = MappingProxyType({})
    other_drafts: OtherDraftCitations | None = None
    cited_before: CitedBefore | None = None


class CitationHistory:
    """The citations of the papers of libraries, for each draft. Thread-safe."""

    def __init__(self, other_drafts: OtherDrafts | None) -> None:
        """Take the store of drafts; without it no draft learns from another."""
        self._other_drafts = other_drafts
        self._cited_before = CitedBeforeCache()
        self._in_other_drafts: ByObject[Pool, LastUsed[Path, _InLibrary]] = ByObject()
        self.observed = ObservedDrafts()
        """What ranking for the markers of drafts has shown."""

    def drafts(self) -> tuple[CitingDraft, ...]:
        """Return the stored drafts of the writer, the newest first."""
        return self._other_drafts.all() if self._other_drafts is not None else ()

    def of(self, pool: Pool, root: Path) -> DraftHistory:
        """Return what is known by now for the draft of a main file and the pool of its library."""
        by_draft = self._in_other_drafts.get(pool)
        _, other_drafts = (by_draft and by_draft.get(root)) or _NO_DRAFTS
        return DraftHistory(self.observed.of(root), other_drafts, self._cited_before.of(pool))

    def update_precedents(
        self, pool: Pool, checkpoint: str, encoder_fingerprint: str, corpora: Sequence[CorpusView]
    ) -> None:
        """Compute how others cited the papers of a library.

        `checkpoint` names the weights of its vectors, `encoder_fingerprint` is that of the query
        encoder; the citations of `corpora` count too.
        """
        try:
            self._cited_before.update(pool, checkpoint, encoder_fingerprint, corpora)
        except RankerError as error:
            log.error("%s; the library is ranked without how others cite its papers", error)

    def exchange_drafts(self, draft: Draft, pool: Pool, query_encoder: Encoder | None) -> None:
        """Store the citations of this draft, and read those of the others."""
        if self._other_drafts is None:
            return
        root = draft.project.root
        files = [path for path, _ in draft.project.files]
        cached = self._in_other_drafts.setdefault(pool, LastUsed)
        if not all(map(self._other_drafts.may_share, (root, *files))):
            cached.keep(root, _NO_DRAFTS)
            return
        self._other_drafts.keep(root, draft.document, draft.library, query_encoder, files)
        citations, current = self._other_drafts.beside(root, draft.document.title), cached.get(root)
        if citations is None:
            cached.keep(root, _NO_DRAFTS)
        elif current is None or current[0] is not citations:
            cached.keep(root, (citations, citations.in_library(draft.library.entries)))
