"""How well sentences that need a citation are recognised: precision, recall, F1, the curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = Sequence[bool] | NDArray[np.bool_]
Likelihoods = Sequence[float] | NDArray[np.floating[Any]]


def figures_at(labels: Labels, scores: Likelihoods, threshold: float) -> dict[str, float]:
    """Return the figures of calling a sentence citation-worthy from a score on.

    They are precision, recall and F1, and the average precision of the order behind them.
    """
    truth, score = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=np.float64)
    predicted = score >= threshold
    right = int((predicted & truth).sum())
    precision = right / max(int(predicted.sum()), 1)
    recall = right / max(int(truth.sum()), 1)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    average = average_precision(truth, score)
    return {"precision": precision, "recall": recall, "f1": f1, "average precision": average}


def best_threshold(labels: Labels, scores: Likelihoods) -> float:
    """Return the score from which on sentences are called citation-worthy with the best F1."""
    precision, recall, thresholds = curve(labels, scores)
    return float(thresholds[(2 * precision * recall / (precision + recall + 1e-9)).argmax()])


def curve(
    labels: Labels, scores: Likelihoods
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return precision, recall and threshold at each distinct score, from the highest down."""
    truth, score = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=np.float64)
    order = np.argsort(-score, kind="stable")
    truth, score = truth[order], score[order]
    last = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
    right = np.cumsum(truth)[last]
    return right / (last + 1), right / max(int(truth.sum()), 1), score[last]


def average_precision(labels: Labels, scores: Likelihoods) -> float:
    """Return the area under the precision–recall curve, summed step by step; ties are one step."""
    precision, recall, _ = curve(labels, scores)
    return float((np.diff(recall, prepend=0.0) * precision).sum())
