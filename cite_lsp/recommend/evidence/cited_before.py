"""How others cited the papers of a library before: evidence, and what it weighs.

"In whatever words this was said, they cited that" holds for a writer's own library too. Which of
its papers are known from precedents depends on the subject; what they say counts for those alone,
and a library of which nothing is known is ranked as without them.
"""

from __future__ import annotations

import logging
from collections.abc import Hashable, Sequence
from functools import cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.linear_weights import read_weights
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.corpus.models import shipped_precedent_papers, shipped_precedents
from cite_lsp.recommend.evidence.corpus_citations import with_own_references
from cite_lsp.recommend.evidence.precedents import Precedents, Witness, damped
from cite_lsp.recommend.query.query import Query
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.index import SearchIndexError
from cite_lsp.storage.caches import ByObject, LastUsed

log = logging.getLogger(__name__)


MODEL = "cited-before"
SIGNS = ("alike", "alike_new", "contexts", "sense", "wording", "together")
"""alike: the greatest cosine of where the query encoder puts this place and one that cites the
paper, less `USUAL`. alike_new: the same where the draft does not cite it yet. contexts: the
logarithm of 1 + how many such places are known. sense, wording: how many of them say about the
same, by the query encoder and by their words, over the root of their number. together: the
logarithm of 1 + how much it is cited beside what the section cites, over the root of its citations.
Of papers that no precedent cites all are 0."""
USUAL = 0.4
"""The cosine to which the nearest place that cites a paper comes on average."""


class Precedented:
    """What the libraries of drafts know of precedents: of those that ship, and of the corpora's.

    Thread-safe. The two are put together once, however many libraries there are, and however often
    one changes.
    """

    def __init__(self) -> None:
        self._kept: ByObject[Pool, tuple[list[CorpusView], CitedBefore | None]] = ByObject()
        self._together: tuple[str, list[CorpusView], Precedents] | None = None
        self._lock = Lock()

    def renew(
        self, pool: Pool, checkpoint: str, placed_by: str, corpora: Sequence[CorpusView] = ()
    ) -> None:
        """Find out what precedents say of a pool; takes a while where that is new.

        Args:
            pool: the papers of a library.
            checkpoint: the weights that embedded it, as precedents name theirs.
            placed_by: the fingerprint of the query encoder that places its contexts.
            corpora: what their sources cite counts beside the precedents that ship; one whose
                references are damaged is told of and left out.

        Raises:
            RankerError: the precedents that ship, or the weights, cannot be read.
        """
        shipped_weights()
        citing = [one for one in corpora if _may_cite(one)]
        kept = self._kept.get(pool)
        if kept is None or kept[0] != citing:
            found = self._cited_before(pool, checkpoint, placed_by, citing)
            self._kept.keep(pool, (citing, found))

    def of(self, pool: Pool) -> CitedBefore | None:
        """Return what precedents say of a pool; None for nothing, or while that is not known."""
        kept = self._kept.get(pool)
        return kept[1] if kept is not None else None

    def _cited_before(
        self, pool: Pool, checkpoint: str, placed_by: str, citing: list[CorpusView]
    ) -> CitedBefore | None:
        keys = title_keys(pool.papers)
        if not citing and not np.isin(keys, shipped_precedent_papers()).any():
            return None  # most libraries on a subject of their own: nothing more is read for them
        if shipped_precedents().checkpoint != checkpoint:
            return None
        found = CitedBefore(self._precedents(placed_by, citing), keys)
        return found if len(found) else None

    def _precedents(self, placed_by: str, citing: list[CorpusView]) -> Precedents:
        if not citing:
            return shipped_precedents()
        with self._lock:
            if self._together is None or self._together[:2] != (placed_by, citing):
                self._together = placed_by, citing, _put_together(placed_by, citing)
            return self._together[2]


def _may_cite(corpus: CorpusView) -> bool:
    try:
        return corpus.references is not None and len(corpus.references) > 0
    except SearchIndexError:
        return True  # what is wrong with it is told where it is read


def _put_together(placed_by: str, citing: Sequence[CorpusView]) -> Precedents:
    precedents = shipped_precedents()
    for corpus in citing:
        try:
            precedents = with_own_references(precedents, corpus, placed_by)
        except SearchIndexError as error:
            log.warning("%s; until then how its papers are cited does not count", error)
    return precedents


class CitedBefore:
    """Precedents as a library of n papers sees them. Safe to share."""

    def __init__(self, precedents: Precedents, keys: NDArray[np.uint64]) -> None:
        """Take the precedents, and the title keys of the papers of the library, shape (n,)."""
        self._precedents = precedents
        self._places = precedents.find(precedents.papers, keys)
        self._known = np.flatnonzero(self._places >= 0)
        self._kept: LastUsed[Hashable, Witness] = LastUsed()

    def __len__(self) -> int:
        """Return how many papers of the library precedents know."""
        return len(self._known)

    def signs(
        self, context: Context, query: Query, pool: Pool, placed: Column | None, times: Column
    ) -> NDArray[np.float32]:
        """Return `SIGNS` of each paper of the library at a place, shape (n, 6).

        Args:
            context: the place.
            query: the same, read.
            pool: the papers of the library.
            placed: where the query encoder puts it, shape (d,), None where there is none.
            times: how often the rest of the draft cites each paper, shape (n,).
        """
        section = self._places[pool.rows(context.section_cited)]
        told = self._witness(query, placed, section[section >= 0])
        places = self._places[self._known]
        contexts, citations = told.contexts[places], told.citations[places]
        alike = np.zeros(len(places), dtype=np.float32)
        sense = np.zeros(len(places), dtype=np.float32)
        if placed is not None:
            alike = np.where(contexts > 0, told.alike[places] - USUAL, 0.0)
            sense = damped(told.alike_sum[places], contexts)
        signs = np.zeros((len(self._places), len(SIGNS)), dtype=np.float32)
        signs[self._known] = np.stack(
            [
                alike,
                np.where(times[self._known] > 0, 0.0, alike),
                np.log1p(contexts),
                sense,
                damped(told.alike_words_sum[places], contexts),
                damped(np.log1p(told.together[places]), citations),
            ],
            axis=1,
        )
        return signs

    def _witness(self, query: Query, placed: Column | None, section: NDArray[np.int64]) -> Witness:
        """Return what precedents say, remembered: a key is typed letter by letter."""
        where = placed.tobytes() if placed is not None else b""
        # All that `near_words` is made of: a translator may be loaded while a place is asked for.
        words = query.near, query.near_sides, query.translation
        asked = (words, where, tuple(section.tolist()))
        found = self._kept.get(asked)
        if found is None:
            nowhere = np.zeros(self._precedents.dimensions, dtype=np.float32)
            found = self._precedents.testify(
                nowhere if placed is None else placed,
                query.near_words,
                cited=section.tolist(),
            )
            self._kept.keep(asked, found)
        return found


def title_keys(papers: Sequence[Paper]) -> NDArray[np.uint64]:
    """Return the title key of each paper, shape (n,)."""
    return np.array([title_key(paper) for paper in papers], dtype=np.uint64)


@cache
def shipped_weights() -> Column:
    """Return what each of `SIGNS` adds to the logit of a paper, shape (6,).

    Raises:
        RankerError: they cannot be read.
    """
    return read_weights(shipped_model(MODEL), SIGNS)
