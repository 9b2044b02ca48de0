"""How well sentences that need a citation are recognised: precision, recall, F1, the curve."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Labels = Sequence[bool] | NDArray[np.bool_]
Scores = Sequence[float] | NDArray[np.floating[Any]]

_CUE_WORDS = re.compile(
    r"et al|\b(?:1[89]|20)\d\d\b|\b(?:(?:has|have|been|was|were) (?:shown|proposed|studied|used|"
    r"introduced|found|demonstrated|reported|observed|suggested|developed|argued)|previous(?:ly)?|"
    r"prior work|recent(?:ly)?|studies|literature|state[- ]of[- ]the[- ]art|according to|following|"
    r"proposed by|introduced by|known as|based on)\b"
    r"|等人|提出|研究表明|研究发现|文献|学者|指出|近年来|已有研究|报道|证明了|根据",
    re.IGNORECASE,
)


@frozen
class Figures:
    """Precision, recall and F1 of a decision, and the average precision of the order behind it."""

    precision: float
    recall: float
    f1: float
    average_precision: float
    offered: int


def cue_words(text: str) -> int:
    """Return how many words of a sentence refer to other people's work: the plain baseline."""
    return len(_CUE_WORDS.findall(text))


def decide(labels: Labels, scores: Scores, threshold: float) -> Figures:
    """Return the figures of calling a sentence citation-worthy from a score on."""
    truth, score = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=np.float64)
    chosen = score >= threshold
    right = int((chosen & truth).sum())
    precision = right / max(int(chosen.sum()), 1)
    recall = right / max(int(truth.sum()), 1)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return Figures(precision, recall, f1, average_precision(truth, score), int(chosen.sum()))


def curve(
    labels: Labels, scores: Scores
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return precision, recall and threshold at each distinct score, from the highest down."""
    truth, score = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=np.float64)
    order = np.argsort(-score, kind="stable")
    truth, score = truth[order], score[order]
    last = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
    right = np.cumsum(truth)[last]
    return right / (last + 1), right / max(int(truth.sum()), 1), score[last]


def average_precision(labels: Labels, scores: Scores) -> float:
    """Return the area under the precision–recall curve, summed step by step; ties are one step."""
    precision, recall, _ = curve(labels, scores)
    return float((np.diff(recall, prepend=0.0) * precision).sum())
