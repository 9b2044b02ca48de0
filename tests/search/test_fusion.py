"""Reciprocal rank fusion, by the formula of Cormack et al. 2009."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.search.fusion import reciprocal_rank_fusion

RANKINGS = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=12), max_size=4)


def test_scores_are_sums_of_reciprocal_ranks() -> None:
    fused = dict(reciprocal_rank_fusion([["a", "b"], ["b", "c"]]))
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


def test_weights_tell_how_much_a_ranking_counts() -> None:
    fused = reciprocal_rank_fusion([["a", "b"], ["b", "a"]], [1.0, 2.0])
    assert [item for item, _ in fused] == ["b", "a"]
    assert dict(fused)["b"] == pytest.approx(1 / 62 + 2 / 61)


def test_an_item_named_twice_counts_once_at_its_better_rank() -> None:
    assert reciprocal_rank_fusion([["a", "a", "b"]]) == reciprocal_rank_fusion([["a", "b"]])


def test_equal_scores_stand_in_the_order_of_first_sight() -> None:
    fused = reciprocal_rank_fusion([["x", "y"], ["y", "x"]])
    assert [item for item, _ in fused] == ["x", "y"]


def test_weights_and_rankings_must_match() -> None:
    with pytest.raises(ValueError, match="2 rankings, 1 weights"):
        reciprocal_rank_fusion([["a"], ["b"]], [1.0])


@given(RANKINGS)
def test_every_item_appears_once_and_scores_fall(rankings: list[list[int]]) -> None:
    fused = reciprocal_rank_fusion(rankings)
    items = [item for item, _ in fused]
    scores = [score for _, score in fused]
    assert sorted(items) == sorted({item for ranking in rankings for item in ranking})
    assert scores == sorted(scores, reverse=True)


@given(st.lists(st.integers(), unique=True))
def test_one_ranking_keeps_its_order(ranking: list[int]) -> None:
    assert [item for item, _ in reciprocal_rank_fusion([ranking])] == ranking
