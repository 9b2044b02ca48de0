"""The CorpusRecommender: retrieves candidates from a large corpus and ranks them.

The default system is the learned second stage. If its encoder is missing or the corpus has vectors
of another one, phase 1 retrieves by words and by vectors, phase 2 orders by similarity to the
papers that the section already cites (Tanaka et al.), and reciprocal ranks fuse them.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Sequence
from pathlib import Path
from threading import Lock
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.columns import Column, top_ranks
from cite_lsp.recommend.base.method import MethodPaper
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.base.similarity import nearest_to_cited
from cite_lsp.recommend.corpus.candidates import best_rows
from cite_lsp.recommend.corpus.corpus_papers import CorpusPapers
from cite_lsp.recommend.corpus.ranking import Candidate, CorpusReasons, candidates_of
from cite_lsp.recommend.corpus.reranker import SecondStage, shipped_second_stage
from cite_lsp.recommend.corpus.reranker_zh import BilingualStage, shipped_bilingual_stage
from cite_lsp.recommend.evidence.draft_versions import DraftVersions
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.recommend.published.methods import NO_METHODS, Methods
from cite_lsp.recommend.query.query import Query, read_query
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.fusion import reciprocal_rank_fusion
from cite_lsp.search.words.query_words import Words, query_words

log = logging.getLogger(__name__)

CorpusSystem = Literal["bm25", "minilm", "phase1", "fused", "default"]
CORPUS_SYSTEMS: tuple[CorpusSystem, ...] = get_args(CorpusSystem)
"""bm25: words of the wide window. minilm: its vector by the encoder that ships. phase1: words
(with the draft's title too) and vectors of both windows, fused. fused: phase 1 and phase 2 fused,
nothing learned. default: the learned second stage.
"""

RETRIEVED = 300
"""Papers from each order of phase 1."""
RETRIEVED_DENSE = 1000
"""Vectors to search, of which those not allowed (newer than the draft, say) are left out."""
PHASE2_WEIGHT = 0.5
"""Weight of phase 2 in the fusion; a list of phase 1 has weight 1."""


class CorpusRecommender:
    """Ranks the papers of one corpus. Thread-safe."""

    def __init__(
        self,
        corpus: CorpusView,
        encoder: Encoder | None,
        *,
        system: CorpusSystem = "default",
        second_stage: SecondStage | None = None,
        drafts: Sequence[CitingDraft] = (),
        methods: Methods = NO_METHODS,
    ) -> None:
        """Take the corpus, and what encodes queries for its vectors; without it words alone rank.

        `second_stage` is one for this corpus; by default the one that ships is opened, with the
        writer's `drafts` as precedents. `methods` are those of the writer.
        """
        self.corpus = corpus
        self.encoder = encoder
        self._drafts = DraftVersions(drafts)
        self._methods = methods
        self.reasons = CorpusReasons(corpus, self._drafts)
        self.system = system
        self._lock = Lock()
        self._stages: dict[str, SecondStage | BilingualStage | None] = {}
        if second_stage is not None:
            self._stages["en"] = second_stage

    def prepare(self) -> None:
        """Open the second stage and the methods, so that the first ranking need not wait."""
        self._stage("en")
        if self.encoder is not None:
            self._methods.prepare(CorpusPapers(self.corpus), self.encoder)

    def rank(
        self,
        context: Context,
        *,
        limit: int = 100,
        allowed: NDArray[np.bool_] | None = None,
        cited: Collection[int] = (),
        draft: Path | None = None,
        by_method: bool = True,
        cancelled: Cancel | None = None,
    ) -> list[Candidate]:
        """Return up to `limit` papers, best first.

        Args:
            context: where a citation is wanted.
            limit: how many papers.
            allowed: for every row whether it may be recommended, None for all.
            cited: the rows that the section already cites.
            draft: the main file of the draft.
            by_method: whether the writer's methods rank, where there is one for the context.
            cancelled: is asked between steps.

        Raises:
            Cancelled: `cancelled` said so.
        """
        method = self._methods.of(context) if by_method and self.encoder is not None else None
        if method is not None and self.encoder is not None:
            ranked = method.rank(
                context,
                CorpusPapers(self.corpus),
                self.encoder,
                limit=limit,
                allowed=allowed,
                cited=sorted(set(cited)),
                cancelled=cancelled,
            )
            return [_by_method(paper, method.name) for paper in ranked]
        stage = (context.language == "zh" and self._stage("zh")) or self._stage("en")
        if stage is not None and self.encoder is not None:
            return stage.rank(
                context,
                self.encoder,
                allowed=allowed,
                section=sorted(set(cited)),
                draft=draft,
                limit=limit,
                cancelled=cancelled,
            )
        lexical, dense = self._texts(read_query(context))
        orders = []
        for words in lexical:
            stop_if(cancelled)
            orders.append(self._by_words(words, allowed))
        vectors = None
        if dense and self.encoder is not None:
            stop_if(cancelled)
            vectors = self.encoder.encode(dense, cancelled=cancelled)
            orders += [self._by_vector(vector, allowed) for vector in vectors]
        fused = reciprocal_rank_fusion(orders)
        rows = np.array([row for row, _ in fused], dtype=np.int64)
        scores = np.array([score for _, score in fused], dtype=np.float32)
        stop_if(cancelled)
        return self._rerank(rows, scores, vectors, sorted(set(cited)))[:limit]

    def recommend(
        self,
        context: Context,
        *,
        limit: int = 50,
        cited: Collection[int] = (),
        draft: Path | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` papers to cite, best first, with reasons; see `rank`."""
        candidates = self.rank(context, limit=limit, cited=cited, draft=draft)
        return tuple(self.reasons.explained(candidates, context, cited, draft))

    def _stage(self, language: str) -> SecondStage | BilingualStage | None:
        """Return the second stage for contexts in a language, opened when first wanted.

        It is None if the system is another or the vectors do not fit. If that for Chinese cannot be
        opened, an error is logged, and Chinese contexts are ranked as English ones.

        Raises:
            RankerError: that for English cannot be read.
        """
        if self.system != "default" or self.encoder is None:
            return None
        with self._lock:
            if language not in self._stages:
                stage: SecondStage | BilingualStage | None = None
                try:
                    if self.encoder.checkpoint == self.corpus.manifest.checkpoint:
                        stage = (
                            shipped_bilingual_stage(self.corpus)
                            if language == "zh"
                            else shipped_second_stage(self.corpus, self._drafts, self.encoder)
                        )
                except RankerError as error:
                    if language != "zh":
                        raise
                    log.error("%s; until then Chinese contexts are ranked as English ones", error)
                self._stages[language] = stage
            return self._stages[language]

    def _texts(self, query: Query) -> tuple[Sequence[Words], Sequence[str]]:
        """Return the weighted words to search for, and the texts to search by vector."""
        if self.system == "bm25":
            return (query.wide_words,), ()
        if self.system == "minilm" and self.encoder is not None:
            return (), (query.wide,)
        return (
            query.near_words,
            query_words(f"{query.topic} {query.wide}"),
        ), (query.near, query.wide)

    def _by_words(self, words: Words, allowed: NDArray[np.bool_] | None) -> list[int]:
        scores = self.corpus.words.scores(words)
        rows = best_rows(scores, RETRIEVED, allowed)
        return [int(row) for row in rows[np.lexsort((rows, -scores[rows]))]]

    def _by_vector(self, vector: Column, allowed: NDArray[np.bool_] | None) -> list[int]:
        if allowed is not None and np.count_nonzero(allowed) <= RETRIEVED_DENSE:
            rows = np.flatnonzero(allowed)  # so few that none may be among the nearest of all
            cosines = self.corpus.vectors.vectors(rows) @ vector
            return [int(row) for row in rows[np.argsort(-cosines, kind="stable")][:RETRIEVED]]
        rows = self.corpus.vectors.search(vector, RETRIEVED_DENSE)[0][0]
        rows = rows[rows >= 0]
        if allowed is not None:
            rows = rows[allowed[rows]]
        return [int(row) for row in rows[:RETRIEVED]]

    def _rerank(
        self,
        rows: NDArray[np.int64],
        scores: Column,
        queries: NDArray[np.float32] | None,
        cited: list[int],
    ) -> list[Candidate]:
        vectors = self.corpus.vectors.vectors(rows)
        similarity = np.full(len(rows), np.nan, dtype=np.float32)
        if queries is not None and len(rows):
            similarity = (vectors @ queries.T).max(axis=1)
        nearest = np.full(len(rows), np.nan, dtype=np.float32)
        if cited and len(rows) and self.system in ("fused", "default"):
            nearest = nearest_to_cited(self.corpus.vectors.vectors, rows.tolist(), cited)
            order = np.argsort(-nearest, kind="stable")
            reranked = dict(reciprocal_rank_fusion([order.tolist()], [PHASE2_WEIGHT]))
            scores = scores + np.array([reranked[place] for place in range(len(rows))])
        order = np.argsort(-scores, kind="stable")
        unknown = np.full(len(rows), math.nan, dtype=np.float32)
        figures = (rows, scores, similarity, nearest, unknown, top_ranks(similarity))
        return candidates_of(*(figure[order] for figure in figures))


def _by_method(paper: MethodPaper, method: str) -> Candidate:
    figures = paper.row, paper.score, math.nan, math.nan
    return Candidate(*figures, method=method, reasons=paper.reasons)
