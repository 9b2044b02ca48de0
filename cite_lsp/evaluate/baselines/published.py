"""The published systems that recommendations are measured against, exactly as in their papers.

Every paper of the pool is compared with the context, not a graph's neighbours, so that what is
measured is the method. The encoders are whatever checkpoints they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Encoder, unit
from cite_lsp.evaluate.tasks.local import ranked_rows
from cite_lsp.evaluate.tasks.phases import DEPTHS
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.similarity import nearest_to_cited
from cite_lsp.recommend.evidence.corpus_precedents import CorpusPrecedents
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.published.two_phase import STEP, reordered, rounded
from cite_lsp.recommend.query.query import wide_window
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.precision import HalfVectors
from cite_lsp.search.words.word_index import WordIndex

Score = Callable[[Context], NDArray[np.float32]]
"""Gives every paper of the pool a score for a context, shape (n,)."""
Nearest = Callable[[Sequence[int], Sequence[int]], NDArray[np.float32]]
"""Returns how near rows of the pool, r of them, are to those that the section cites, shape (r,)."""


@frozen
class RankedPaper:
    """A paper of the pool, by its row, and its score."""

    row: int
    score: float


Text = Callable[[Context], str]
"""What of a context is compared with the papers."""


def by_words(index: WordIndex, text: Text = wide_window) -> Score:
    """Score by the words of the context and the papers, as the index weighs them."""
    return lambda context: index.scores(text(context))


def by_encoder(encoder: Encoder, vectors: HalfVectors, text: Text = wide_window) -> Score:
    """Score by the cosine of the context and title + abstract (phase 1).

    Source: Tanaka et al., section 3.1. `vectors` are those of the pool's papers, (n, dimensions).
    """
    matrix = unit(vectors)
    return lambda context: np.asarray(matrix @ encoder.encode([text(context)])[0])


def by_cosine(vectors: HalfVectors) -> Nearest:
    """Compare papers by their greatest cosine to one that is cited (see `nearest_to_cited`)."""
    return partial(nearest_to_cited, vectors.__getitem__)


def by_cocitation(precedents: Precedents, known: CorpusPrecedents) -> Nearest:
    """Compare papers by how often documents cite them beside one that is cited.

    What phase 2 teaches an encoder is who is cited together. This takes the citations themselves,
    so it shows how far knowing all of them would go.
    """

    def nearest(rows: Sequence[int], cited: Sequence[int]) -> NDArray[np.float32]:
        places = known.places[np.asarray(rows, dtype=np.int64)]
        beside = precedents.cited_beside(
            [int(place) for place in known.places[np.asarray(cited, dtype=np.int64)] if place >= 0]
        )
        return np.where(places >= 0, beside[np.maximum(places, 0)], 0.0).astype(np.float32)

    return nearest


def in_steps(nearest: Nearest, step: float = STEP) -> Nearest:
    """Compare papers as `nearest` does, rounded to steps (see `two_phase.rounded`)."""
    return lambda rows, cited: rounded(nearest(rows, cited), step)


class PublishedSystem:
    """Ranks the papers of a pool by a score, the first `depth` reordered by phase 2 if given."""

    def __init__(
        self,
        corpus: CorpusView,
        score: Score,
        *,
        reranker: Nearest | None = None,
        depth: int = DEPTHS[-1],
        added: bool = False,
    ) -> None:
        """Phase 2 needs a `reranker`, which returns how near papers are to those cited.

        Where it is `added`, the first candidates are ordered by the sum of both scores, each
        standardised among them, instead of by the second alone.
        """
        self.corpus = corpus
        self._score = score
        self._reranker = reranker
        self._depth = depth
        self._added = added

    def rank(
        self,
        context: Context,
        *,
        limit: int = 100,
        allowed: NDArray[np.bool_] | None = None,
        cited: Collection[int] = (),
    ) -> list[RankedPaper]:
        """Return up to `limit` papers, best first.

        `allowed` is true of every row that may be ranked, `cited` are the rows that the section
        already cites.
        """
        scores = np.asarray(self._score(context), dtype=np.float32)
        rows = ranked_rows(scores, max(limit, self._depth), allowed)
        best = scores[rows]
        if self._reranker is not None and cited and len(rows):
            rows, best = self._rerank(rows, best, sorted(set(cited)))
        return [RankedPaper(int(row), float(score)) for row, score in zip(rows, best, strict=True)][
            :limit
        ]

    def _rerank(
        self, rows: NDArray[np.int64], scores: NDArray[np.float32], cited: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Order the first rows by how near they are to the cited papers (phase 2).

        The rest follow as they were, below all of them.
        """
        assert self._reranker is not None  # `rank` calls this only where there is one
        first = rows[: self._depth]
        nearest = self._reranker(first.tolist(), cited)
        if self._added:
            nearest = standardised(scores[: self._depth]) + standardised(nearest)
        order, reordered_scores = reordered(scores, nearest)
        return rows[order], reordered_scores


def standardised(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return scores with mean 0 and deviation 1, all 0 where they are all the same."""
    spread = float(scores.std())
    return np.asarray((scores - scores.mean()) / spread if spread > 0 else 0 * scores, np.float32)
