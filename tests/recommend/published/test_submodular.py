"""Selection: relevance first, no two papers for the same thing, and no look too many."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from cite_lsp.recommend.published.submodular import Weights, lazy_greedy, partition, select

ALONE = Weights(coverage=0.0, diversity=0.0)


def unit(rows: list[list[float]]) -> NDArray[np.float32]:
    vectors = np.array(rows, dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def some(seed: int, count: int = 30) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    vectors = unit(rng.normal(size=(count, 4)).tolist())
    return rng.random(count).astype(np.float32), vectors


def test_by_relevance_alone_the_order_is_that_of_relevance() -> None:
    relevance, vectors = some(1)
    assert select(relevance, vectors, 10, ALONE) == np.argsort(-relevance)[:10].tolist()


def test_of_two_alike_the_second_gives_way_to_another_subject() -> None:
    vectors = unit([[1, 0], [1, 0.01], [0, 1]])
    relevance = np.array([1.0, 0.9, 0.8], dtype=np.float32)
    weights = Weights(coverage=0.0, diversity=1.0, parts=0.67)
    assert select(relevance, vectors, 3, ALONE) == [0, 1, 2]
    assert select(relevance, vectors, 3, weights) == [0, 2, 1]


def test_what_the_others_are_like_is_chosen_for_coverage_until_it_is_saturated() -> None:
    vectors = unit([[1, 0.1], [1, -0.1], [1, 0], [0, 1]])
    relevance = np.full(4, 0.5, dtype=np.float32)
    covering = Weights(coverage=1.0, diversity=0.0, saturation=1.0)
    assert select(relevance, vectors, 1, covering) == [0]
    short = Weights(coverage=1.0, diversity=0.0, saturation=0.25)
    assert set(select(relevance, vectors, 2, short)) & {3}


@pytest.mark.parametrize("seed", range(5))
def test_what_is_chosen_is_what_greed_chooses_by_the_score(seed: int) -> None:
    relevance, vectors = some(seed, 9)
    weights = Weights(coverage=0.6, diversity=0.6, saturation=0.3, parts=0.4)
    part = partition(vectors, weights.parts)
    near = np.maximum(vectors @ vectors.T, 0)
    near = near / near.mean(axis=1, keepdims=True)

    def score(places: tuple[int, ...]) -> float:
        covered = np.minimum(near[:, list(places)].sum(axis=1), weights.saturation * 9).mean()
        held = np.bincount(part[list(places)], relevance[list(places)], minlength=9)
        total = relevance[list(places)].sum() + weights.coverage * covered
        return float(total + weights.diversity * np.sqrt(held).sum())

    chosen: list[int] = []
    for _ in range(4):
        rest = (place for place in range(9) if place not in chosen)
        chosen.append(max(rest, key=lambda place: score((*chosen, place))))
    assert select(relevance, vectors, 4, weights) == chosen
    best = max(score(places) for places in combinations(range(9), 4))
    assert score(tuple(chosen)) >= (1 - 1 / np.e) * best  # Nemhauser et al. 1978


def test_a_place_is_looked_at_again_only_while_it_may_be_the_best() -> None:
    looked: list[int] = []
    taken: list[int] = []

    def gain(place: int) -> float:
        looked.append(place)
        return 100.0 - place if place not in taken else 0.0

    assert lazy_greedy(50, 3, gain, taken.append) == [0, 1, 2]
    assert len(looked) == 50 + 3


def test_more_papers_may_be_wanted_than_there_are() -> None:
    relevance, vectors = some(2, 4)
    assert sorted(select(relevance, vectors, 10, Weights())) == [0, 1, 2, 3]
    assert select(relevance[:0], vectors[:0], 3, Weights()) == []


def test_parts_gather_what_is_alike() -> None:
    part = partition(unit([[1, 0], [0, 1], [1, 0.1], [0.1, 1]]), 0.5)
    assert part.tolist() == [0, 1, 0, 1]
    assert set(partition(unit([[1, 0], [0, 1]]), 0.0).tolist()) == {0}
