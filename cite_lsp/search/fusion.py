"""Making one ranking of several."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)

_K = 60.0


def reciprocal_rank_fusion(
    rankings: Sequence[Iterable[Item]],
    weights: Sequence[float] | None = None,
) -> list[tuple[Item, float]]:
    """Fuse rankings by the reciprocals of the ranks, best first with its score.

    score(d) = Σ_i weight_i / (60 + rank_i(d)), ranks from 1; a ranking that lacks an item gives it
    nothing (Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", SIGIR 2009, with their k). An item that a ranking
    names twice counts once, at its better rank. Equal scores stand in the order of first sight.

    Raises:
        ValueError: there are not as many weights as rankings.
    """
    if weights is None:
        weights = [1.0] * len(rankings)
    if len(weights) != len(rankings):
        raise ValueError(f"{len(rankings)} rankings, {len(weights)} weights")
    scores: dict[Item, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, 0.0) + weight / (_K + rank)
    return sorted(scores.items(), key=lambda scored: -scored[1])
