"""The Recommender: ranks the papers of a library for a Context, and gives the reasons.

The default system combines what the text says, what the section already cites and how the draft
cites, by a learned ranker. The simpler systems are there to be measured beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Literal

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.encoders import NO_ENCODERS, Encoders
from cite_lsp.recommend.base.method import Method
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.ranker import softmax
from cite_lsp.recommend.base.recommendation import Reason, Recommendation
from cite_lsp.recommend.evidence import cited_before, other_drafts
from cite_lsp.recommend.evidence.other_drafts import OtherDraftEvidence
from cite_lsp.recommend.library.adaptation import (
    Observation,
    draft_columns,
    draft_weights,
    with_likely_negatives,
)
from cite_lsp.recommend.library.citation_history import DraftHistory
from cite_lsp.recommend.library.distinct_works import Work, distinct_works, title_of_draft
from cite_lsp.recommend.library.features import (
    Evidence,
    PoolFeatures,
    gather_evidence,
    pool_features,
)
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.library.reasons import CITED_IN_SIMILAR_PASSAGE, explain
from cite_lsp.recommend.published.methods import DEFAULT, NO_METHODS, Methods
from cite_lsp.recommend.query.encoder_input import query_text_at
from cite_lsp.search.fusion import reciprocal_rank_fusion
from cite_lsp.search.vectors.vector_index import Rows

System = Literal["file-order", "bm25", "phase1", "default", "method"]
SYSTEMS: tuple[System, ...] = ("file-order", "bm25", "phase1", "default")
"""file-order: the order of the bibliography. bm25: words of the 100-word window over titles and
abstracts. phase1: those words and the embeddings of near and wide windows, by reciprocal rank
fusion. default: the learned ranker.
"""
BY_METHOD: System = "method"
"""The methods that a recommender was given, which are in no list of systems."""

CANDIDATE_ORDERS = (
    "near_title",
    "placed_full",
    "wide_full",
    "near_words",
    "close_words",
    "wide_words",
    "section_nearest",
)
COMPARED = ("sentence", "co-cited")
"""The reasons of the default system that a method replaces by its own."""
_KEYS_OF_WORK = 2
"""Keys of the ranking that are read for each work of a list."""
SECOND_STAGE = 1000
"""Papers that the ranker scores; in a larger pool, phase 1 chooses them."""
FILED_BESIDE = 10
"""Entries at most this far from what is cited around a place are always candidates."""


@frozen(eq=False)
class OutsideEvidence:
    """How other documents cite the n papers of a pool, compared with one context.

    other_drafts: that of the writer's other drafts, None without any. cited_before: the features of
    precedents, shape (n, 6), None without any.
    """

    other_drafts: OtherDraftEvidence | None = None
    cited_before: NDArray[np.float32] | None = None

    def logits(self) -> NDArray[np.float32] | None:
        """Return what it adds to the logits of the papers, shape (n,); None for nothing."""
        parts = []
        if self.other_drafts is not None:
            parts.append(self.other_drafts.features @ other_drafts.shipped_weights())
        if self.cited_before is not None:
            parts.append(self.cited_before @ cited_before.shipped_weights())
        return sum(parts[1:], start=parts[0]) if parts else None


@frozen
class Ranking:
    """Papers of a pool in order: rows [r] best first, their scores [r], and the evidence used.

    `outside` is how other documents cite the papers of the pool. `method` is what ranked them, and
    `said` are its reasons by row, where it is not the default one.
    """

    rows: Rows
    scores: NDArray[np.float32]
    evidence: Evidence
    outside: OutsideEvidence
    method: str = DEFAULT
    said: Mapping[int, tuple[Reason, ...]] = MappingProxyType({})


class Recommender:
    """Ranks the papers of one pool. Thread-safe: a ranking changes nothing."""

    def __init__(
        self,
        pool: Pool,
        encoders: Encoders = NO_ENCODERS,
        *,
        system: System | Methods = "default",
        history: DraftHistory | None = None,
    ) -> None:
        """Without encoders, or while the pool has no vectors, the ranking is by words only.

        `system` is what ranks: one of `SYSTEMS`, or methods, and the
        default system where they do not. `history` is what is known of citations for the draft: the
        default system uses it, and adapts to the observations of markers that a context sees.
        """
        self.pool = pool
        self._encoders = encoders
        self._methods = system if isinstance(system, Methods) else NO_METHODS
        self.system: System = "default" if isinstance(system, Methods) else system
        self._history = history or DraftHistory()

    def rank(
        self,
        context: Context,
        *,
        rows: Sequence[int] | Rows | None = None,
        cancelled: Cancel | None = None,
    ) -> Ranking:
        """Order the pool, or only the papers at `rows`, for a context.

        Raises:
            Cancelled: `cancelled` returned true.
        """
        stop_if(cancelled)
        method = self._methods.of(context)
        if method is not None and self._encoders.papers is not None and self.pool.embedded:
            return self._by_method(method, context, rows, cancelled)
        evidence, outside = self._gather(context, rows)
        stop_if(cancelled)
        return self._order(evidence, self.system, context, outside)

    def _by_method(
        self,
        method: Method,
        context: Context,
        rows: Sequence[int] | Rows | None,
        cancelled: Cancel | None,
    ) -> Ranking:
        """Order the pool, or only the papers at `rows`, by a method."""
        assert self._encoders.papers is not None  # methods compare vectors
        allowed = None if rows is None else np.isin(np.arange(len(self.pool)), rows)
        ranked = method.rank(
            context,
            LibraryPapers(self.pool),
            self._encoders.papers,
            limit=SECOND_STAGE,
            allowed=allowed,
            cited=self.pool.rows(context.section_cited),
            cancelled=cancelled,
        )
        best = np.array([paper.row for paper in ranked], dtype=np.int64)
        pooled = pool_features(context, self.pool, self._encoders)
        return Ranking(
            best,
            np.array([paper.score for paper in ranked], dtype=np.float32),
            gather_evidence(pooled, self.pool, best),
            self._outside_evidence(context, pooled),
            method=method.name,
            said={paper.row: paper.reasons for paper in ranked},
        )

    def observe(self, context: Context, cited: Sequence[str]) -> Observation:
        """Rank for a marker that cites some papers, by name; `context` is without them.

        Other drafts do not count: one may be a copy of this draft, and cite the same.
        """
        evidence, outside = self._gather(context, None)
        return with_likely_negatives(
            Observation(
                self._logits(evidence, evolve(outside, other_drafts=None)),
                _adapted_columns(evidence),
                np.isin(evidence.rows, self.pool.rows(cited)),
            )
        )

    def compare(self, context: Context, systems: Sequence[System]) -> dict[System, Ranking]:
        """Order the whole pool by several systems on the same evidence."""
        evidence, outside = self._gather(context, None)
        return {
            system: self.rank(context)
            if system == BY_METHOD
            else self._order(evidence, system, context, outside)
            for system in systems
        }

    def recommend(
        self,
        context: Context,
        *,
        limit: int = 50,
        rows: Sequence[int] | Rows | None = None,
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` papers to cite, best first, with reasons.

        Papers whose keys already stand in the marker are left out, and one that is the draft itself
        if the draft does not cite it. A work under several keys has one place. Scores are
        probabilities over the pool for the default system, and those of the ranking for the others.

        Raises:
            Cancelled: `cancelled` returned true.
        """
        allowed = np.arange(len(self.pool)) if rows is None else np.asarray(rows, dtype=np.int64)
        left_out = [*self.pool.rows(context.marker_cited), *self.pool.uncitable]
        allowed = allowed[~np.isin(allowed, left_out)]
        ranking = self.rank(context, rows=allowed, cancelled=cancelled)
        position = {int(row): place for place, row in enumerate(ranking.evidence.rows)}
        language = context.message_language
        return tuple(
            Recommendation(
                paper=self.pool.papers[work.row],
                score=work.score,
                entry=self.pool.entries[work.row],
                reasons=self._reasons(context, ranking, position[work.row], work.row),
                other_keys=tuple(self.pool.names[row] for row in work.rows if row != work.row),
                language=language,
                method=ranking.method,
            )
            for work in self._works(context, ranking, limit)
        )

    def _reasons(
        self, context: Context, ranking: Ranking, position: int, row: int
    ) -> tuple[Reason, ...]:
        """Return the reasons for a paper; what a method compared itself stands in its words."""
        reasons = explain(context, self.pool, ranking.evidence, position)
        if row in ranking.said:
            others = (reason for reason in reasons if reason.kind not in COMPARED)
            reasons = (*ranking.said[row], *others)
        return (*reasons, *self._outside_reasons(ranking.outside, row))

    def _works(self, context: Context, ranking: Ranking, limit: int) -> Iterator[Work]:
        """Return the first works of a ranking, without the draft itself."""
        times = ranking.evidence.habits.times
        first = slice(min(_KEYS_OF_WORK * limit, len(ranking.evidence.rows)))
        rows, scores = ranking.rows[first].tolist(), ranking.scores[first].tolist()
        add = self.system == "default" and ranking.method == DEFAULT
        works = list(distinct_works(self.pool, rows, scores, times, add=add))
        draft_title = title_of_draft(context) if len(works) > 1 else ""
        others = (
            work
            for work in works
            if not draft_title or work.title != draft_title or times[work.row]
        )
        return islice(others, limit)

    def _gather(
        self, context: Context, rows: Sequence[int] | Rows | None
    ) -> tuple[Evidence, OutsideEvidence]:
        allowed = np.arange(len(self.pool)) if rows is None else np.asarray(rows, dtype=np.int64)
        pooled = pool_features(context, self.pool, self._encoders)
        outside = self._outside_evidence(context, pooled)
        candidates = _candidates(pooled, allowed, outside)
        return gather_evidence(pooled, self.pool, candidates), outside

    def _outside_evidence(self, context: Context, pooled: PoolFeatures) -> OutsideEvidence:
        """Return how the writer's other drafts, and others, cite the papers of the pool."""
        history = self._history
        if history.other_drafts is None and history.cited_before is None:
            return OutsideEvidence()
        query_vector, fingerprint = None, ""
        encoder = self._encoders.precedents
        if encoder is not None and self.pool.embedded:
            text = query_text_at(context.left, context.right, context.title)
            query_vector = encoder.encode([text])[0]
            fingerprint = encoder.fingerprint
        from_drafts = from_precedents = None
        if history.other_drafts is not None:
            sentence = pooled.query.sentence
            from_drafts = history.other_drafts.evidence(sentence, query_vector, fingerprint)
        if history.cited_before is not None:
            times = pooled.columns["times"]
            from_precedents = history.cited_before.features(
                context, pooled.query, self.pool, query_vector, times
            )
        return OutsideEvidence(from_drafts, from_precedents)

    def _order(
        self, evidence: Evidence, system: System, context: Context, outside: OutsideEvidence
    ) -> Ranking:
        scores = self._score(evidence, system, context, outside)
        order = np.argsort(-scores, kind="stable")
        return Ranking(evidence.rows[order], scores[order], evidence, outside)

    def _score(
        self, evidence: Evidence, system: System, context: Context, outside: OutsideEvidence
    ) -> NDArray[np.float32]:
        if system == "file-order":
            return -evidence.rows.astype(np.float32)
        if system == "bm25":
            return self.pool.full_words.scores(evidence.query.wide_words)[evidence.rows]
        if system == "default":
            logits = self._logits(evidence, outside)
            weights = draft_weights(context, self._history.observations)
            if weights.any():
                logits = logits + _adapted_columns(evidence) @ weights
            return softmax(logits)
        return _phase1(evidence)

    def _logits(self, evidence: Evidence, outside: OutsideEvidence) -> NDArray[np.float32]:
        added = outside.logits()
        return evidence.logits if added is None else evidence.logits + added[evidence.rows]

    def _outside_reasons(self, outside: OutsideEvidence, row: int) -> Iterator[Reason]:
        drafts, evidence = self._history.other_drafts, outside.other_drafts
        if drafts is not None and evidence is not None and evidence.draft[row] >= 0:
            title = drafts.titles[evidence.draft[row]]
            yield Reason("other-draft", float(evidence.features[row, 1]), words=(title,))
        if outside.cited_before is not None:
            cosine = float(outside.cited_before[row, 0]) + other_drafts.USUAL_COSINE
            if cosine >= CITED_IN_SIMILAR_PASSAGE:
                yield Reason("precedent", cosine)


def _adapted_columns(evidence: Evidence) -> NDArray[np.float32]:
    """Return what the weights of a draft are for: the features, and that the text names a key."""
    features = np.column_stack([evidence.matrix, evidence.named])
    return draft_columns(features, evidence.column("times"))


def _candidates(pooled: PoolFeatures, allowed: Rows, outside: OutsideEvidence) -> Rows:
    """Return the best rows of each simple order, and what the draft names, cites or files beside.

    Also what other documents cite in the most similar contexts.
    """
    if len(allowed) <= SECOND_STAGE:
        return allowed
    each = SECOND_STAGE // len(CANDIDATE_ORDERS)
    row_lists = [
        allowed[pooled.columns["named"][allowed] > 0],
        allowed[pooled.columns["times"][allowed] > 0],
        allowed[pooled.columns["file_around"][allowed] <= FILED_BESIDE],
    ]
    for name in CANDIDATE_ORDERS:
        column = pooled.columns[name][allowed]
        if not np.isnan(column).any():
            row_lists.append(allowed[np.argpartition(-column, each)[:each]])
    if outside.other_drafts is not None:
        row_lists.append(_most_similar(allowed, outside.other_drafts.features[:, 1], each))
    if outside.cited_before is not None:
        row_lists.append(_most_similar(allowed, outside.cited_before[:, 0], each))
    return np.unique(np.concatenate(row_lists))


def _most_similar(allowed: Rows, similarity: NDArray[np.float32], count: int) -> Rows:
    some = allowed[similarity[allowed] > 0]
    return some[np.argsort(-similarity[some], kind="stable")[:count]]


def _phase1(evidence: Evidence) -> NDArray[np.float32]:
    orders = [evidence.column("near_words"), evidence.column("wide_words")]
    dense = [evidence.column("near_title"), evidence.column("wide_full")]
    orders += [column for column in dense if not np.isnan(column).any()]
    rankings = [np.argsort(-column, kind="stable").tolist() for column in orders]
    scores = np.zeros(len(evidence.rows), dtype=np.float32)
    for position, score in reciprocal_rank_fusion(rankings):
        scores[position] = score
    return scores
