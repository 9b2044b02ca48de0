"""The order of the candidates for a whole draft: by a weighted sum of the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Cancel, Encoder, Vectors
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.references.draft_text import DraftText
from cite_lsp.recommend.references.evidence import (
    FEATURES,
    PLACE,
    Candidates,
    Query,
    gather,
    query_of,
)
from cite_lsp.recommend.references.graph import CitationGraph
from cite_lsp.recommend.references.sources import PaperSource
from cite_lsp.search.vectors.index import Rows

BIAS = -7.0
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "summary_words": 2.0,
        "summary_cosine": 3.0,
        "passage_words": 1.0,
        "passage_cosine": 2.0,
        "passages_near": 1.0,
        "near_votes": 1.0,
        "near_votes_damped": 1.0,
        "near_count": 0.5,
        "together": 0.5,
        "together_damped": 0.5,
        "coupled_votes": 0.5,
        "cited_by_cited": 0.2,
        "cites_same": 1.0,
        "walk": 0.3,
        "cited_cosine": 2.0,
        "citations": 0.1,
        "age": -0.2,
    }
)
"""What each feature adds to the logit of a paper being cited."""


@frozen(eq=False)
class Ranked:
    """Papers of a source, best first: rows (r,), scores (r,), features (r, f), near documents."""

    rows: Rows
    scores: Column
    features: NDArray[np.float32]
    near: Rows
    query: Query

    def feature(self, name: str) -> Column:
        """Return one of `FEATURES` for every paper, shape (r,)."""
        return np.asarray(self.features[:, PLACE[name]], dtype=np.float32)


class ReferenceRanker:
    """Ranks the papers of one source for whole drafts. Thread-safe."""

    def __init__(
        self, source: PaperSource, graph: CitationGraph | None, encoder: Encoder | None
    ) -> None:
        """Take the papers, who cites whom among them, and the encoder of their vectors.

        Without a graph or an encoder the ranking does without their evidence.
        """
        self.source, self.graph, self.encoder = source, graph, encoder

    def rank(
        self,
        text: DraftText,
        cited: Rows,
        *,
        limit: int = 100,
        allowed: NDArray[np.bool_] | None = None,
        own: int = -1,
        cancelled: Cancel | None = None,
    ) -> Ranked:
        """Return up to `limit` papers that a draft should cite and does not, best first.

        Args:
            text: the draft.
            cited: rows that it cites.
            limit: how many papers.
            allowed: true of every row that may be recommended, shape (n,); None for all.
            own: the row of the draft itself, whose references nobody knows.
            cancelled: is asked between steps.

        Raises:
            Cancelled: `cancelled` returned true.
        """
        query = query_of(
            text, self.encoder, cited.tolist(), self.graph, own=own, cancelled=cancelled
        )
        candidates = gather(self.source, self.graph, query, allowed=allowed, cancelled=cancelled)
        scores = score(candidates)
        order = np.argsort(-scores, kind="stable")[:limit]
        return Ranked(
            candidates.rows[order],
            scores[order],
            candidates.features[order],
            candidates.near,
            query,
        )

    def vectors(self, rows: Rows) -> Vectors | None:
        """Return the vectors of rows, None where there are none."""
        return self.source.vectors(rows) if self.source.has_vectors else None


def score(candidates: Candidates) -> Column:
    """Return how likely the draft should cite each candidate, 0 to 1, shape (r,)."""
    weights = np.array([WEIGHTS.get(name, 0.0) for name in FEATURES], dtype=np.float32)
    return np.asarray(1 / (1 + np.exp(-(candidates.features @ weights + BIAS))), dtype=np.float32)
