"""Selection: a list whose papers are relevant, and together cover what the candidates are about.

A monotone submodular score of sets, made large greedily. Kieu et al. ("Learning neural textual
representations for citation recommendation", ICPR 2020) choose references so, balancing relevance
against coverage and diversity; the terms are those of Lin and Bilmes ("A class of submodular
functions for document summarization", ACL 2011, equations 3 to 6).
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heapreplace

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.recommend.base.columns import Column


@frozen
class Weights:
    """What coverage and diversity count beside relevance, which counts 1.

    `saturation` is the share of the candidates from which on more of the same covers nothing
    further (their α), `parts` the share of the candidates that are parts of their own (their K).
    On lists of references of development a little coverage does no harm, and diversity does.
    """

    coverage: float = 0.1
    diversity: float = 0.0
    saturation: float = 0.1
    parts: float = 0.2


def select(relevance: Column, vectors: Vectors, limit: int, weights: Weights) -> list[int]:
    """Return up to `limit` places of candidates, in the order in which they are chosen.

    The score of a set S of n candidates is the sum of three terms: of the relevance r of those in
    S; of coverage, Σ_v min(Σ_{j in S} w_vj, saturation · n) / n; and of diversity, over the parts
    P of the candidates, Σ_P √(Σ_{j in S and P} r_j). Each is monotone and submodular, so what is
    chosen greedily has at least 1 − 1/e of the greatest score (Nemhauser et al. 1978).

    Args:
        relevance: r, 0 to 1, shape (n,).
        vectors: unit rows, shape (n, d); w_vj is their cosine, if positive, over the mean of v's.
        limit: how many to choose.
        weights: what the terms count.
    """
    if not len(relevance):
        return []
    coverage = _Coverage(vectors, weights.saturation)
    diversity = _Diversity(relevance, partition(vectors, weights.parts))

    def gain(place: int) -> float:
        return (
            float(relevance[place])
            + weights.coverage * coverage.gain(place)
            + weights.diversity * diversity.gain(place)
        )

    def take(place: int) -> None:
        coverage.take(place)
        diversity.take(place)

    return lazy_greedy(len(relevance), limit, gain, take)


def lazy_greedy(
    count: int, limit: int, gain: Callable[[int], float], take: Callable[[int], None]
) -> list[int]:
    """Choose up to `limit` of `count` places, each time the one with the greatest gain.

    Gains never grow as the set does: where the gain that was greatest is so when it is computed
    again, no other need be looked at (Minoux 1978). Of equal gains the first place wins.
    """
    heap = [(-gain(place), place) for place in range(count)]
    heapify(heap)
    places: list[int] = []
    while heap and len(places) < limit:
        _, place = heap[0]
        now = -gain(place)
        heapreplace(heap, (now, place))
        if heap[0] != (now, place):
            continue
        take(place)
        places.append(place)
        heappop(heap)
    return places


def partition(vectors: Vectors, share: float) -> NDArray[np.int64]:
    """Return the number of the part that each candidate belongs to, shape (n,).

    The centre of the first part is the first candidate, that of each further one what is farthest
    from all centres so far (Gonzalez 1985); a candidate belongs to its nearest centre.
    """
    count = max(1, round(share * len(vectors)))
    nearest = np.full(len(vectors), -2.0, dtype=np.float32)
    part = np.zeros(len(vectors), dtype=np.int64)
    centre = 0
    for number in range(count):
        cosines = vectors @ vectors[centre]
        nearer = cosines > nearest
        part[nearer], nearest[nearer] = number, cosines[nearer]
        centre = int(np.argmin(nearest))
    return part


class _Coverage:
    """How much of every candidate the chosen ones cover."""

    def __init__(self, vectors: Vectors, saturation: float) -> None:
        near = np.maximum(vectors @ vectors.T, 0.0)
        self._near = near / np.maximum(near.mean(axis=1, keepdims=True), 1e-9)
        self._most = saturation * len(vectors)
        self._covered = np.zeros(len(vectors), dtype=np.float32)

    def gain(self, place: int) -> float:
        after = np.minimum(self._covered + self._near[:, place], self._most)
        return float((after - self._covered).mean())

    def take(self, place: int) -> None:
        self._covered = np.minimum(self._covered + self._near[:, place], self._most)


class _Diversity:
    """How many parts of the candidates the chosen ones come from."""

    def __init__(self, relevance: Column, part: NDArray[np.int64]) -> None:
        self._relevance = np.maximum(relevance, 0.0).astype(np.float64)
        self._part = part
        self._held = np.zeros(int(part.max()) + 1)

    def gain(self, place: int) -> float:
        held = self._held[self._part[place]]
        return float(np.sqrt(held + self._relevance[place]) - np.sqrt(held))

    def take(self, place: int) -> None:
        self._held[self._part[place]] += self._relevance[place]
