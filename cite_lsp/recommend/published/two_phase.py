"""Two-phase recommendation: papers near to the context, reordered by what the section cites.

Source: Tanaka et al. Phase 1 (section 3.1): the k papers with the greatest cosine of the context,
50 words either side of the marker, and title + abstract, both by Sentence-BERT,

    s1(c, p) = cos(E1(c), E1(p)).

Phase 2 (section 3.2): these k by the greatest cosine to a paper q that the section S cites already,

    s2(p) = max { cos(E2(p), E2(q)) : q in S, q not p }.

E1 and E2 ship as heads on the default encoder: `tanaka-phase1` and `tanaka-phase2`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.method import Allowed, MethodPaper, PaperSource
from cite_lsp.recommend.base.recommendation import Reason
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.recommend.published.headed_space import headed_space
from cite_lsp.recommend.query.query import wide_window
from cite_lsp.search.vectors.vector_index import Rows

NAME = "two-phase"
PHASE_1, PHASE_2 = "tanaka-phase1", "tanaka-phase2"
DEPTH = 80
"""k: candidates that phase 2 reorders."""
STEP = 0.2
"""How much nearer a paper must be, in cosines, for phase 2 in steps to put it first. Chosen on
development contexts, where steps from 0.1 to 0.3 do nearly as well."""

Scores = NDArray[np.float32]


@frozen
class TwoPhase:
    """The method. `depth` is k; `in_steps` rounds phase 2, which is not as published."""

    depth: int = DEPTH
    in_steps: bool = False
    name: str = NAME
    language: str = "en"

    def prepare(self, papers: PaperSource, encoder: Encoder) -> None:
        """Load both heads."""
        headed_space(PHASE_1, encoder)
        headed_space(PHASE_2, encoder)

    def rank(
        self,
        context: Context,
        papers: PaperSource,
        encoder: Encoder,
        *,
        limit: int,
        allowed: Allowed | None = None,
        cited: Sequence[int] = (),
        cancelled: Cancel | None = None,
    ) -> list[MethodPaper]:
        """See `Method.rank`. Where the section cites nothing, phase 1 decides alone."""
        stop_if(cancelled)
        space = headed_space(PHASE_1, encoder)
        count = max(limit, self.depth)
        rows, cosines = space.nearest(wide_window(context), papers, count, allowed)
        stop_if(cancelled)
        section = sorted(set(cited))
        if not section:
            return [
                MethodPaper(row, score, (Reason("phase-1", score),))
                for row, score in zip(rows.tolist(), cosines.tolist(), strict=True)
            ][:limit]
        nearest, beside = self._nearest(rows[: self.depth], section, papers, encoder)
        order, scores = reordered(cosines, rounded(nearest) if self.in_steps else nearest)
        ranked = []
        for place, score in zip(order[:limit].tolist(), scores.tolist(), strict=False):
            reasons = [Reason("phase-1", float(cosines[place]))]
            if place < len(nearest) and beside[place] >= 0:
                name = short_name(papers.paper(section[beside[place]]))
                reasons.insert(0, Reason("phase-2", float(nearest[place]), papers=(name,)))
            ranked.append(MethodPaper(int(rows[place]), score, tuple(reasons)))
        return ranked

    def _nearest(
        self, rows: Rows, section: Sequence[int], papers: PaperSource, encoder: Encoder
    ) -> tuple[Scores, NDArray[np.int64]]:
        place = headed_space(PHASE_2, encoder).head.place
        cited = np.array(section, dtype=np.int64)
        vectors, cited_vectors = place(papers.vectors(rows)), place(papers.vectors(cited))
        return nearest_cited(vectors, cited_vectors, rows, cited)


def nearest_cited(
    vectors: Vectors, cited_vectors: Vectors, rows: Rows, cited: Rows
) -> tuple[Scores, NDArray[np.int64]]:
    """Return s2 of each paper, and the place of q among the cited papers, shapes (r,).

    A paper is not compared with itself, for writers cite again; where nothing else is cited, its
    s2 is 0 and its place -1.
    """
    cosines = np.where(rows[:, None] == cited[None, :], -np.inf, vectors @ cited_vectors.T)
    beside = cosines.argmax(axis=1)
    greatest = cosines[np.arange(len(rows)), beside]
    is_finite = np.isfinite(greatest)
    return (
        np.where(is_finite, greatest, 0.0).astype(np.float32),
        np.where(is_finite, beside, -1).astype(np.int64),
    )


def rounded(nearest: Scores) -> Scores:
    """Return s2 in steps: papers on the same step stay in the order of phase 1.

    Phase 1 has read the sentence. To the last digit, as published, a hair of nearness outweighs
    everything in the sentence.
    """
    return np.asarray(np.round(nearest / STEP) * STEP, dtype=np.float32)


def reordered(first: Scores, second: Scores) -> tuple[Rows, Scores]:
    """Order papers, the best by `first`, of which the first k have a score `second` as well.

    Returns the order of the places and the scores in this order, shapes (r,): the first k by
    `second`, the rest as they were, with scores below those of all of them.
    """
    order = np.argsort(-second, kind="stable")
    rest = first[len(second) :]
    below = float(second.min(initial=0.0)) - 1
    return (
        np.concatenate([order, np.arange(len(second), len(first))]),
        np.concatenate([second[order], rest - rest.max(initial=-np.inf) + below]).astype(
            np.float32
        ),
    )
