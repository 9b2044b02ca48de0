"""Ranking metrics, defined as the papers that this project builds on define them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

_SAMPLES = 2000
_DRAWN_AT_ONCE = 1 << 20
"""Values drawn together: all of them would take hundreds of megabytes."""


def bootstrap_interval(
    values: ArrayLike,
    documents: Sequence[Hashable] | None = None,
    *,
    level: float = 0.95,
) -> tuple[float, float]:
    """Return the percentile interval of the mean of `values`, shape (n,).

    The values are resampled 2,000 times; without values both ends are 0 (Efron 1979). With
    `documents`, the document of each value, whole documents are resampled: the values of one
    document are alike, and its interval is wider (Field & Welsh 2007, the cluster bootstrap).
    """
    data = np.asarray(values, dtype=np.float64)
    if not len(data):
        return (0.0, 0.0)
    rng = np.random.default_rng(13)
    sums: NDArray[np.float64] = data
    counts: NDArray[np.float64] = np.ones(len(data))
    if documents is not None:
        number: dict[Hashable, int] = {}
        of = [number.setdefault(document, len(number)) for document in documents]
        sums = np.bincount(of, data).astype(np.float64)
        counts = np.bincount(of).astype(np.float64)
    at_once = max(1, _DRAWN_AT_ONCE // len(sums))
    means = []
    for start in range(0, _SAMPLES, at_once):
        sample = rng.integers(0, len(sums), (min(at_once, _SAMPLES - start), len(sums)))
        means.append(sums[sample].sum(axis=1) / counts[sample].sum(axis=1))
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


T = TypeVar("T")
DEPTH = 100
CUTOFFS = (5, 10, 30, 50, 80)


def score_ranking(
    ranking: Sequence[T], relevant: Collection[T], cutoffs: Iterable[int] = CUTOFFS
) -> dict[str, float]:
    """Score one ranking, of which the first 100 count, against a non-empty set of relevant ids.

    Recall@k (Tanaka et al., eq. 2), MRR@k (their eq. 3: 1 / rank of the first relevant paper, 0
    past k), MAP@k (Tang et al., eq. 12: average precision over |relevant|), F1@k (Kieu et al.).
    """
    hits = [paper in relevant for paper in ranking[:DEPTH]]
    first = hits.index(True) + 1 if True in hits else None
    figures: dict[str, float] = {}
    for k in cutoffs:
        right = sum(hits[:k])
        recall, precision = right / len(relevant), right / k
        figures[f"recall@{k}"] = recall
        figures[f"mrr@{k}"] = 1 / first if first and first <= k else 0.0
        figures[f"f1@{k}"] = 2 * precision * recall / (precision + recall) if right else 0.0
    seen, total = 0, 0.0
    for rank, hit in enumerate(hits, 1):
        if hit:
            seen += 1
            total += seen / rank
        if rank == 10:
            figures["map@10"] = total / len(relevant)
    figures.setdefault("map@10", total / len(relevant))
    figures["map@100"] = total / len(relevant)
    figures["mrr@100"] = 1 / first if first else 0.0
    return figures


def mean_figures(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Average figures over contexts, rounded to the fourth decimal."""
    if not rows:
        return {}
    return {name: round(sum(row[name] for row in rows) / len(rows), 4) for name in sorted(rows[0])}


_BINS = 10


def calibration(confidences: Sequence[float], right: Sequence[bool]) -> list[dict[str, float]]:
    """Return how often recommendations of a score were right: a row a bin that has any.

    Each row holds where the bin starts (`from`), how many scores fall into it (`markers`), and the
    share that was right (`right`). A calibrated score of p is right with the share p (Guo et al.,
    "On calibration of modern neural networks", 2017).
    """
    rows = []
    for number in range(_BINS):
        inside = [
            hit
            for score, hit in zip(confidences, right, strict=True)
            if min(int(score * _BINS), _BINS - 1) == number
        ]
        if inside:
            share = round(sum(inside) / len(inside), 4)
            rows.append({"from": number / _BINS, "markers": len(inside), "right": share})
    return rows


def intervals(
    rows: Sequence[Mapping[str, float]],
    names: Iterable[str],
    documents: Sequence[Hashable] | None = None,
) -> dict[str, list[float]]:
    """Return 95 % bootstrap intervals of figures, rounded; see `bootstrap_interval`."""
    return {
        name: [round(end, 4) for end in bootstrap_interval([row[name] for row in rows], documents)]
        for name in names
    }


def hit_figures(ranks: Sequence[int | None]) -> dict[str, float]:
    """Return hit@1, hit@5 and MRR over markers; the rank of the first right key, None if absent."""
    return {"markers": len(ranks), **mean_figures(list(map(_hits, ranks)))} if ranks else {}


def hit_intervals(
    ranks: Sequence[int | None], documents: Sequence[Hashable]
) -> dict[str, list[float]]:
    """Return the intervals of hit@1, hit@5 and MRR; `documents` has that of each marker."""
    return intervals(list(map(_hits, ranks)), ("hit@1", "hit@5", "mrr"), documents)


def _hits(rank: int | None) -> dict[str, float]:
    return {
        "hit@1": float(rank == 1),
        "hit@5": float(rank is not None and rank <= 5),
        "mrr": 1 / rank if rank else 0.0,
    }
