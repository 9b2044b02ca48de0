"""The order of the candidates for a whole draft: boosted trees over the evidence."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel
from cite_lsp.encode.encoder import Encoder
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.method import PaperSource
from cite_lsp.recommend.base.ranker import Ranker, model_config
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_text import DraftQuery, DraftText, query_of
from cite_lsp.recommend.references.evidence import FEATURES, PLACE, gather
from cite_lsp.search.vectors.vector_index import Rows

MODEL = "reference-ranker"


@frozen(eq=False)
class CalibratedRanker:
    """Trees, and what makes a probability of their scores: slope and intercept of its logit."""

    trees: Ranker
    slope: float
    intercept: float

    def probabilities(self, features: NDArray[np.float32]) -> Column:
        """Return how likely each paper is cited, (r, f) to (r,)."""
        logits = self.slope * self.trees.score(features) + self.intercept
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), dtype=np.float32)


def shipped_reference_ranker() -> CalibratedRanker:
    """Return the ranker that ships, read once.

    Raises:
        RankerError: it cannot be read, or was trained for other features.
    """
    return read_ranker(shipped_model(MODEL))


@cache
def read_ranker(folder: Path) -> CalibratedRanker:
    """Return the ranker of a folder that recipe `reference-ranker` wrote, read once.

    Raises:
        RankerError: it cannot be read, or was trained for other features.
    """
    trees = Ranker(folder, FEATURES, recipe=MODEL)
    with model_config(folder, "the ranker") as config:
        return CalibratedRanker(trees, float(config["slope"]), float(config["intercept"]))


@frozen(eq=False)
class RankedPapers:
    """Papers of a source, best first: rows (r,), scores (r,), features (r, f), near documents."""

    rows: Rows
    scores: Column
    features: NDArray[np.float32]
    near: Rows
    query: DraftQuery

    def feature(self, name: str) -> Column:
        """Return one of `FEATURES` for every paper, shape (r,)."""
        return np.asarray(self.features[:, PLACE[name]], dtype=np.float32)


def rank_missing(
    source: PaperSource,
    text: DraftText,
    cited: Rows,
    *,
    graph: CitationGraph | None = None,
    encoder: Encoder | None = None,
    limit: int = 100,
    allowed: NDArray[np.bool_] | None = None,
    draft_row: int = -1,
    cancelled: Cancel | None = None,
) -> RankedPapers:
    """Return up to `limit` papers that a draft should cite and does not, best first.

    Args:
        source: the papers.
        text: the draft.
        cited: rows that it cites.
        graph: who cites whom among the papers; without it the ranking does without its evidence.
        encoder: that of their vectors; likewise.
        limit: how many papers.
        allowed: true of every row that may be recommended, shape (n,); None for all.
        draft_row: the row of the draft itself, whose references nobody knows.
        cancelled: is asked between steps.

    Raises:
        Cancelled: `cancelled` returned true.
        RankerError: the ranker that ships cannot be read.
    """
    ranker = shipped_reference_ranker()
    query = query_of(text, encoder, cited.tolist(), graph, draft_row=draft_row, cancelled=cancelled)
    candidates = gather(source, graph, query, allowed=allowed, cancelled=cancelled)
    scores = ranker.probabilities(candidates.features)
    order = np.argsort(-scores, kind="stable")[:limit]
    rows, features = candidates.rows[order], candidates.features[order]
    return RankedPapers(rows, scores[order], features, candidates.near, query)
