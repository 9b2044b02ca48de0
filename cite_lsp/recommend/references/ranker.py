"""The order of the candidates for a whole draft: boosted trees over the evidence."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Cancel, Encoder
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.paper_source import PaperSource
from cite_lsp.recommend.base.ranker import Ranker, RankerError
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_query import DraftQuery, query_of
from cite_lsp.recommend.references.draft_text import DraftText
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
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return CalibratedRanker(trees, float(config["slope"]), float(config["intercept"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RankerError(
            f"{folder}: the ranker cannot be read ({error}); reinstall cite-lsp"
        ) from error


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


class ReferenceRanker:
    """Ranks the papers of one source for whole drafts. Thread-safe."""

    def __init__(
        self,
        source: PaperSource,
        graph: CitationGraph | None,
        encoder: Encoder | None,
    ) -> None:
        """Take the papers, who cites whom among them, and the encoder of their vectors.

        Without a graph or an encoder the ranking does without their evidence.

        Raises:
            RankerError: the ranker that ships cannot be read.
        """
        self.source, self.graph, self.encoder = source, graph, encoder
        self._ranker = shipped_reference_ranker()

    def rank(
        self,
        text: DraftText,
        cited: Rows,
        *,
        limit: int = 100,
        allowed: NDArray[np.bool_] | None = None,
        own: int = -1,
        cancelled: Cancel | None = None,
    ) -> RankedPapers:
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
        scores = self._ranker.probabilities(candidates.features)
        order = np.argsort(-scores, kind="stable")[:limit]
        return RankedPapers(
            candidates.rows[order],
            scores[order],
            candidates.features[order],
            candidates.near,
            query,
        )
