"""Recommendations from a corpus too large to look at whole: retrieve, fuse, rerank.

Phase 1 retrieves by words and by vectors; phase 2 orders the candidates by their nearness to the
papers that the section already cites (Tanaka et al.); reciprocal rank fusion makes one list of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Encoder, stop_if
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.features import Column, nearness
from cite_lsp.recommend.model import Reason, Recommendation
from cite_lsp.recommend.query import Query, read_query
from cite_lsp.recommend.reasons import SIMILAR_SENTENCE, shared_words
from cite_lsp.search.corpus_index import CorpusIndex
from cite_lsp.search.fusion import reciprocal_rank_fusion

CorpusSystem = Literal["bm25", "minilm", "phase1", "tanaka", "default"]
CORPUS_SYSTEMS: tuple[CorpusSystem, ...] = ("bm25", "minilm", "phase1", "tanaka", "default")
"""bm25: words of the wide window. minilm: its vector as the shipped encoder gives it. phase1: words
(with the draft's title too) and vectors of both windows, fused. tanaka: phase 1 by vectors, the
first 80 reordered by phase 2. default: phase 1 and phase 2 fused.
"""

RETRIEVED = 300
"""Papers taken from each order of phase 1."""
RETRIEVED_DENSE = 1000
"""Vectors asked for, of which those not allowed (newer than the draft, say) are left out."""
PHASE2_DEPTH = 80
"""Candidates that phase 2 reorders (k of Tanaka et al.)."""
PHASE2_WEIGHT = 0.5
"""Weight of phase 2 in the fusion; a list of phase 1 has weight 1."""


@frozen
class Candidate:
    """A paper of the corpus with its score and the figures behind it (NaN where not known)."""

    row: int
    score: float
    similarity: float
    nearest: float


class CorpusRecommender:
    """Ranks the papers of one corpus. Thread-safe."""

    def __init__(
        self, corpus: CorpusIndex, encoder: Encoder | None, *, system: CorpusSystem = "default"
    ) -> None:
        """Without an encoder the ranking is lexical."""
        self.corpus = corpus
        self.encoder = encoder
        self.system = system

    def rank(
        self,
        context: Context,
        *,
        limit: int = 100,
        allowed: NDArray[np.bool_] | None = None,
        cited: Collection[int] = (),
        cancelled: Callable[[], bool] | None = None,
    ) -> list[Candidate]:
        """Return up to `limit` papers, best first.

        `allowed` says for every row whether it may be recommended, `cited` are the rows that the
        section already cites.

        Raises:
            Cancelled: `cancelled` said so.
        """
        lexical, dense = self._texts(read_query(context))
        orders = []
        for text in lexical:
            stop_if(cancelled)
            orders.append(self._by_words(text, allowed))
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
        cancelled: Callable[[], bool] | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` papers to cite, best first, with reasons.

        Raises:
            Cancelled: `cancelled` said so.
        """
        near = read_query(context).near
        result = []
        for candidate in self.rank(context, limit=limit, cited=cited, cancelled=cancelled):
            paper = self.corpus.paper(candidate.row)
            reasons = []
            if candidate.similarity >= SIMILAR_SENTENCE:  # NaN, without an encoder, never is
                reasons.append(Reason("sentence", candidate.similarity))
            words = shared_words(paper, near)
            if words:
                reasons.append(Reason("words", float(len(words)), words=words))
            result.append(Recommendation(paper, candidate.score, None, tuple(reasons)))
        return tuple(result)

    def _texts(self, query: Query) -> tuple[Sequence[str], Sequence[str]]:
        """Return what is searched by words and what by vectors."""
        if self.system == "bm25":
            return (query.wide,), ()
        if self.system in ("minilm", "tanaka") and self.encoder is not None:
            return (), (query.wide,)
        return (query.near, f"{query.topic} {query.wide}"), (query.near, query.wide)

    def _by_words(self, text: str, allowed: NDArray[np.bool_] | None) -> list[int]:
        scores = self.corpus.words.scores(text)
        if allowed is not None:
            scores = np.where(allowed, scores, 0.0)
        return _best(scores, RETRIEVED)

    def _by_vector(self, vector: Column, allowed: NDArray[np.bool_] | None) -> list[int]:
        found = self.corpus.vectors.search(vector, RETRIEVED_DENSE)[0][0]
        found = found[found >= 0]
        if allowed is not None:
            found = found[allowed[found]]
        return [int(row) for row in found[:RETRIEVED]]

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
        if cited and len(rows) and self.system in ("tanaka", "default"):
            nearest = self._nearest(rows, vectors, cited)
            if self.system == "tanaka":
                scores = scores.copy()
                scores[:PHASE2_DEPTH] = 2.0 + nearest[:PHASE2_DEPTH]
            else:
                order = np.argsort(-nearest, kind="stable")
                reranked = dict(reciprocal_rank_fusion([order.tolist()], [PHASE2_WEIGHT]))
                scores = scores + np.array([reranked[place] for place in range(len(rows))])
        return [
            Candidate(
                int(rows[place]),
                float(scores[place]),
                float(similarity[place]),
                float(nearest[place]),
            )
            for place in np.argsort(-scores, kind="stable")
        ]

    def _nearest(self, rows: NDArray[np.int64], vectors: Column, cited: list[int]) -> Column:
        """Return each candidate's greatest cosine to the cited papers, itself left out."""
        place = {int(row): index for index, row in enumerate(rows)}
        outside = [row for row in cited if row not in place]
        together = np.concatenate(
            [vectors, self.corpus.vectors.vectors(np.array(outside, dtype=np.int64))]
        )
        known = [place[row] for row in cited if row in place]
        known += range(len(rows), len(together))
        return nearness(together, known)[0][: len(rows)]


def _best(scores: Column, count: int) -> list[int]:
    if count < len(scores):
        rows = np.argpartition(-scores, count)[:count]
    else:
        rows = np.arange(len(scores))
    rows = rows[scores[rows] > 0]
    return [int(row) for row in rows[np.lexsort((rows, -scores[rows]))]]
