"""Papers to be put in order, group by group, and how well scores order them."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray


@frozen
class Groups:
    """Rows for learning to rank: features [r, f], relevance [r], and the size of each group [g].

    weights: how much each row counts [r]; by default all the same. start: the scores that trees are
    fitted on top of [r]; by default none.
    """

    features: NDArray[np.float32]
    relevance: NDArray[np.int8]
    sizes: NDArray[np.int64]
    weights: NDArray[np.float32] | None = None
    start: NDArray[np.float32] | None = None


def fit_temperature(scores: NDArray[np.float64], groups: Groups) -> float:
    """Return the softmax temperature that makes the best relevant papers of `groups` likeliest."""
    candidates = np.geomspace(0.1, 10.0, 60)
    losses = np.zeros(len(candidates))
    start = 0
    for size in groups.sizes:
        part = scores[start : start + size]
        labels = groups.relevance[start : start + size] > 0
        for place, temperature in enumerate(candidates):
            scaled = (part - part.max()) / temperature
            losses[place] -= scaled[labels].max() - np.log(np.exp(scaled).sum())
        start += size
    return float(candidates[losses.argmin()])


def ranking_figures(scores: NDArray[np.float64], groups: Groups) -> dict[str, float]:
    """Return hit@1, hit@5 and MRR over the groups; ties count against the ranking."""
    start, ranks = 0, []
    for size in groups.sizes:
        part, labels = scores[start : start + size], groups.relevance[start : start + size]
        best = part[labels > 0].max()
        ranks.append(int(((part >= best) & (labels == 0)).sum()) + 1)
        start += size
    rank = np.array(ranks)
    return {
        "hit@1": float((rank <= 1).mean()),
        "hit@5": float((rank <= 5).mean()),
        "mrr": float((1 / rank).mean()),
    }
