"""The Recommender: a context in, the papers to cite out, best first, each with its reasons.

Phase 1 finds papers by what the text says, phase 2 knows the papers that the section already cites
(Tanaka et al.), the draft's own habits and a learned mix decide the order. The simpler systems stay
callable, so that every figure of the whole can be read beside that of its parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Cancel, Encoder, stop_if
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.model import Reason, Recommendation
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.ranker import Ranker, softmax
from cite_lsp.recommend.evidence import cited_before
from cite_lsp.recommend.evidence import other_drafts as elsewhere
from cite_lsp.recommend.evidence.cited_before import CitedBefore
from cite_lsp.recommend.evidence.other_drafts import OtherDraftEvidence, OtherDraftsInLibrary
from cite_lsp.recommend.library.adaptation import (
    Observation,
    Observations,
    Weights,
    draft_columns,
    fit_draft,
    likeliest,
    told_by,
)
from cite_lsp.recommend.library.features import Evidence, Survey, gather_evidence, survey
from cite_lsp.recommend.library.ranker import library_ranker
from cite_lsp.recommend.library.reasons import CITED_ALIKE, explain
from cite_lsp.recommend.query.encoder_input import query_text_at
from cite_lsp.search.fusion import reciprocal_rank_fusion
from cite_lsp.search.vectors.index import Rows
from cite_lsp.storage.caches import LastUsed

System = Literal["file-order", "bm25", "phase1", "tanaka", "default"]
SYSTEMS: tuple[System, ...] = ("file-order", "bm25", "phase1", "tanaka", "default")
"""file-order: the library as it stands. bm25: words of the 100-word window over titles and
abstracts. phase1: those words and the embeddings of near and wide windows, by reciprocal rank
fusion. tanaka: phase 1, the first `PHASE2_DEPTH` reordered by the greatest cosine to the papers
cited in the section. default: the learned mix.
"""

PHASE2_DEPTH = 80
"""Candidates that phase 2 reorders (k of Tanaka et al.)."""
CANDIDATE_ORDERS = (
    "near_title",
    "placed_full",
    "wide_full",
    "near_words",
    "close_words",
    "wide_words",
    "section_nearest",
)
SECOND_STAGE = 1000
"""Papers that the second stage looks at; of a larger pool, phase 1 chooses them."""
FILED_BESIDE = 10
"""Papers this few entries from what is cited around a place are always looked at."""


@frozen(eq=False)
class Heard:
    """What is said for the papers of a pool outside the draft, at one place.

    drafts: by the writer's other drafts, None if they were not asked. before: the signs of how
    others cited them before, shape (n, 6), None where nobody is known to have.
    """

    drafts: OtherDraftEvidence | None = None
    before: NDArray[np.float32] | None = None

    def logits(self) -> NDArray[np.float32] | None:
        """Return what that adds to the logits of the papers, shape (n,); None for nothing."""
        parts = []
        if self.drafts is not None:
            parts.append(self.drafts.features @ elsewhere.shipped_weights())
        if self.before is not None:
            parts.append(self.before @ cited_before.shipped_weights())
        return sum(parts[1:], start=parts[0]) if parts else None


@frozen
class Ranking:
    """Papers of a pool in order: rows [r] best first, their scores [r], and the evidence used.

    `heard` is what was said elsewhere for the papers of the pool.
    """

    rows: Rows
    scores: NDArray[np.float32]
    evidence: Evidence
    heard: Heard


class Recommender:
    """Ranks the papers of one pool. Thread-safe: nothing is changed by asking."""

    def __init__(
        self,
        pool: Pool,
        encoder: Encoder | None = None,
        *,
        query_encoder: Encoder | None = None,
        system: System = "default",
        ranker: Ranker | None = None,
        observations: Observations | None = None,
        elsewhere: OtherDraftsInLibrary | None = None,
        before: CitedBefore | None = None,
    ) -> None:
        """Without an encoder, or while the pool has no vectors, the ranking is lexical.

        The query encoder is one that was taught to place contexts among the vectors of the encoder;
        without it the ranking does what the encoder alone can. `observations` are what the markers
        of the draft have told: the default system adapts to those of them that a context sees.
        `elsewhere` is how the writer's other drafts cite papers of the pool, `before` how others
        did; it asks them, too.
        """
        self.pool = pool
        self.encoder = encoder
        self.query_encoder = query_encoder
        self.system = system
        self._ranker = ranker
        self._observations = observations or {}
        self._elsewhere = elsewhere
        self._before = before

    def rank(
        self,
        context: Context,
        *,
        rows: Sequence[int] | Rows | None = None,
        cancelled: Cancel | None = None,
    ) -> Ranking:
        """Order the pool, or only the papers at `rows`, for a context.

        Raises:
            Cancelled: `cancelled` said so.
        """
        stop_if(cancelled)
        evidence, heard = self._gather(context, rows)
        stop_if(cancelled)
        return self._order(evidence, self.system, context, heard)

    def observe(self, context: Context, cited: Sequence[str]) -> Observation:
        """Ask for a marker again that cites some papers, by name; `context` is without them.

        Other drafts are not asked: one may be a copy of this draft, and know every answer.
        """
        evidence, heard = self._gather(context, None)
        return likeliest(
            Observation(
                self._logits(evidence, evolve(heard, drafts=None)),
                draft_columns(evidence.matrix, evidence.column("times")),
                np.isin(evidence.rows, self.pool.rows(cited)),
            )
        )

    def compare(self, context: Context, systems: Sequence[System]) -> dict[System, Ranking]:
        """Order the whole pool by several systems on the same evidence."""
        evidence, heard = self._gather(context, None)
        return {system: self._order(evidence, system, context, heard) for system in systems}

    def recommend(
        self,
        context: Context,
        *,
        limit: int = 50,
        rows: Sequence[int] | Rows | None = None,
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` papers to cite, best first, with reasons.

        Papers whose keys already stand in the marker are left out. Scores are probabilities over
        the pool for the default system, and whatever the ranking gave for the others.

        Raises:
            Cancelled: `cancelled` said so.
        """
        allowed = np.arange(len(self.pool)) if rows is None else np.asarray(rows, dtype=np.int64)
        taken = [*self.pool.rows(context.marker_cited), *self.pool.uncitable]
        ranking = self.rank(context, rows=allowed[~np.isin(allowed, taken)], cancelled=cancelled)
        position = {int(row): place for place, row in enumerate(ranking.evidence.rows)}
        message_language = context.message_language
        return tuple(
            Recommendation(
                paper=self.pool.papers[row],
                score=float(score),
                entry=self.pool.entries[row],
                reasons=(
                    *explain(context, self.pool, ranking.evidence, position[int(row)]),
                    *self._said_elsewhere(ranking.heard, int(row)),
                ),
                language=message_language,
            )
            for row, score in zip(ranking.rows[:limit], ranking.scores[:limit], strict=True)
        )

    def _gather(
        self, context: Context, rows: Sequence[int] | Rows | None
    ) -> tuple[Evidence, Heard]:
        allowed = np.arange(len(self.pool)) if rows is None else np.asarray(rows, dtype=np.int64)
        found = survey(context, self.pool, self.encoder, self.query_encoder)
        heard = self._hear(context, found)
        return gather_evidence(found, self.pool, _candidates(found, allowed, heard)), heard

    def _hear(self, context: Context, found: Survey) -> Heard:
        """Ask outside the draft: what the writer's other drafts say, and what others do."""
        told = before = None
        if self._elsewhere is None and self._before is None:
            return Heard()
        placed, encoder_fingerprint = None, ""
        if self.query_encoder is not None and self.pool.embedded:
            asking = query_text_at(context.left, context.right, context.title)
            placed = self.query_encoder.encode([asking])[0]
            encoder_fingerprint = self.query_encoder.fingerprint
        if self._elsewhere is not None:
            told = self._elsewhere.evidence(found.query.sentence, placed, encoder_fingerprint)
        if self._before is not None:
            times = found.columns["times"]
            before = self._before.features(context, found.query, self.pool, placed, times)
        return Heard(told, before)

    def _order(self, evidence: Evidence, system: System, context: Context, heard: Heard) -> Ranking:
        scores = self._score(evidence, system, context, heard)
        order = np.argsort(-scores, kind="stable")
        return Ranking(evidence.rows[order], scores[order], evidence, heard)

    def _score(
        self, evidence: Evidence, system: System, context: Context, heard: Heard
    ) -> NDArray[np.float32]:
        if system == "file-order":
            return -evidence.rows.astype(np.float32)
        if system == "bm25":
            return self.pool.full_words.scores(evidence.query.wide_words)[evidence.rows]
        if system == "default":
            logits = self._logits(evidence, heard)
            weights = _adapted(context, self._observations)
            if weights.any():
                logits = logits + draft_columns(evidence.matrix, evidence.column("times")) @ weights
            return softmax(logits)
        phase1 = _phase1(evidence)
        return phase1 if system == "phase1" else _phase2(evidence, phase1)

    def _logits(self, evidence: Evidence, heard: Heard) -> NDArray[np.float32]:
        logits = (self._ranker or library_ranker()).logits(evidence.matrix)
        added = heard.logits()
        return logits if added is None else logits + added[evidence.rows]

    def _said_elsewhere(self, heard: Heard, row: int) -> Iterator[Reason]:
        told = heard.drafts
        if told is not None and self._elsewhere is not None and told.draft[row] >= 0:
            title = self._elsewhere.citations.titles[told.draft[row]]
            yield Reason("other-draft", float(told.features[row, 1]), words=(title,))
        if heard.before is not None:
            cosine = float(heard.before[row, 0]) + cited_before.USUAL_COSINE
            if cosine >= CITED_ALIKE:
                yield Reason("precedent", cosine)


_adaptations: LastUsed[tuple[int, ...], tuple[list[Observation], Weights]] = LastUsed(16)
"""The weights of drafts by the ids of what their markers told, which is kept so that no other
object gets these ids."""


def _adapted(context: Context, observations: Observations) -> Weights:
    """Fit the weights of a draft, remembered: place after place is told the same."""
    told = told_by(context, observations)
    name = tuple(map(id, told))
    kept = _adaptations.get(name)
    if kept is None:
        kept = told, fit_draft(told)
        _adaptations.keep(name, kept)
    return kept[1]


def _candidates(found: Survey, allowed: Rows, heard: Heard) -> Rows:
    """Choose the best of each simple order, what the draft cites and what is filed beside that.

    And what other drafts cite, and others did, where the text reads most like this.
    """
    if len(allowed) <= SECOND_STAGE:
        return allowed
    each = SECOND_STAGE // len(CANDIDATE_ORDERS)
    chosen = [
        allowed[found.columns["times"][allowed] > 0],
        allowed[found.columns["file_around"][allowed] <= FILED_BESIDE],
    ]
    for name in CANDIDATE_ORDERS:
        column = found.columns[name][allowed]
        if not np.isnan(column).any():
            chosen.append(allowed[np.argpartition(-column, each)[:each]])
    if heard.drafts is not None:
        chosen.append(_most_alike(allowed, heard.drafts.features[:, 1], each))
    if heard.before is not None:
        chosen.append(_most_alike(allowed, heard.before[:, 0], each))
    return np.unique(np.concatenate(chosen))


def _most_alike(allowed: Rows, alike: NDArray[np.float32], count: int) -> Rows:
    some = allowed[alike[allowed] > 0]
    return some[np.argsort(-alike[some], kind="stable")[:count]]


def _phase1(evidence: Evidence) -> NDArray[np.float32]:
    orders = [evidence.column("near_words"), evidence.column("wide_words")]
    dense = [evidence.column("near_title"), evidence.column("wide_full")]
    orders += [column for column in dense if not np.isnan(column).any()]
    rankings = [np.argsort(-column, kind="stable").tolist() for column in orders]
    scores = np.zeros(len(evidence.rows), dtype=np.float32)
    for position, score in reciprocal_rank_fusion(rankings):
        scores[position] = score
    return scores


def _phase2(evidence: Evidence, phase1: NDArray[np.float32]) -> NDArray[np.float32]:
    """Reorder the first candidates by nearness to the section's papers (Tanaka et al.)."""
    nearest = evidence.column("section_nearest")
    if np.isnan(nearest).any() or not nearest.any():
        return phase1
    result = phase1.copy()
    first = np.argsort(-phase1, kind="stable")[:PHASE2_DEPTH]
    result[first] = 2.0 + nearest[first]
    return result
