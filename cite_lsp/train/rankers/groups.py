"""Papers to be put in order, group by group, and how well scores order them.

What trees learn to rank from is gathered context by context: no interruption costs much.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.evaluate.metrics import hit_figures
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.train.run.report import Steps, TrainingError

WRITTEN_AT_ONCE = 50
"""Contexts gathered between two writes: what an interruption can lose."""
T = TypeVar("T")

Group = tuple[NDArray[np.float32], NDArray[np.int8]]
"""Features of the candidates of a context, (r, f), and which of them it cites, (r,)."""


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


def join(parts: Sequence[Groups], weights: Sequence[float] | None = None) -> Groups:
    """Return the groups of several parts in a row; those of each part count by a weight, if any."""
    rows = [len(part.features) for part in parts]
    return Groups(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.relevance for part in parts]),
        np.concatenate([part.sizes for part in parts]),
        np.repeat(np.array(weights, np.float32), rows) if weights else None,
    )


def choose_rows(
    labels: NDArray[np.int8],
    orders: Iterable[NDArray[np.floating]],
    each: int,
    others: int,
    rng: random.Random,
) -> Rows:
    """Choose what is learned from: the relevant, the best of each order, and others by chance.

    `labels` says of each candidate whether it is relevant, (r,), an order gives it a score, (r,).
    """
    rows = set(np.flatnonzero(labels).tolist())
    for scores in orders:
        rows.update(np.argsort(-scores, kind="stable")[:each].tolist())
    rest = [row for row in range(len(labels)) if row not in rows]
    rows.update(rng.sample(rest, min(others, len(rest))))
    return np.array(sorted(rows), dtype=np.int64)


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
    ranks: list[int] = []
    start = 0
    for size in groups.sizes:
        part, labels = scores[start : start + size], groups.relevance[start : start + size]
        best = part[labels > 0].max()
        ranks.append(int(((part >= best) & (labels == 0)).sum()) + 1)
        start += size
    figures = hit_figures(ranks)
    return {name: figures[name] for name in ("hit@1", "hit@5", "mrr")}


def compute_groups(
    items: Sequence[T],
    compute: Callable[[T], Group | None],
    width: int,
    folder: Path,
    progress: Steps,
) -> Groups:
    """Compute the group of each item, `width` features wide; None is left out.

    Parts are written to `folder` and read again by an interrupted run.

    Raises:
        TrainingError: no item has a group.
        OSError: a part cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for start in range(0, len(items), WRITTEN_AT_ONCE):
        path = folder / f"{start:06d}.npz"
        if not path.exists():
            part = [
                group
                for item in items[start : start + WRITTEN_AT_ONCE]
                if (group := compute(item)) is not None
            ]
            scratch = path.with_suffix(".part.npz")
            np.savez(
                scratch,
                features=np.concatenate(
                    [group[0] for group in part] or [np.zeros((0, width), "f4")]
                ),
                relevance=np.concatenate([group[1] for group in part] or [np.zeros(0, np.int8)]),
                sizes=np.array([len(group[1]) for group in part], dtype=np.int64),
            )
            scratch.replace(path)
        with np.load(path) as arrays:
            parts.append(Groups(arrays["features"], arrays["relevance"], arrays["sizes"]))
        progress(min(start + WRITTEN_AT_ONCE, len(items)), len(items))
    if not any(len(part.sizes) for part in parts):
        raise TrainingError("no context finds a paper that it cites; check that ids are the same")
    return join(parts)


def section_seen(row: LabelledContext, protocol: str, row_of: Mapping[str, int]) -> list[int]:
    """Return the rows of those papers of a corpus with which the section of a context is seen.

    By `protocol`: "all" that it cites, what it cites "before" the marker, or "none".
    """
    cited = {
        "all": row.context.section_cited,
        "before": row.context.section_cited_before,
        "none": (),
    }[protocol]
    return list(dict.fromkeys(row_of[name] for name in cited if name in row_of))


def labels_of(row: LabelledContext, rows: Rows, row_of: Mapping[str, int]) -> NDArray[np.int8]:
    """Return which candidates a context cites, by their rows of the corpus, shape (r,)."""
    return np.isin(rows, [row_of[name] for name in row.cited if name in row_of]).astype(np.int8)
