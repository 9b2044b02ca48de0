"""The figures: by hand on small cases, and against the independent scorer."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path

import pytest

from cite_lsp.evaluate.metrics import (
    bootstrap_interval,
    calibration,
    hit_figures,
    hit_intervals,
    mean_figures,
    score_ranking,
)
from tests.evaluate.scoring import score


def test_one_ranking_scored_by_hand() -> None:
    ranking = ["a", "x", "b", *(f"y{n}" for n in range(7)), "c"]
    figures = score_ranking(ranking, ("a", "b", "c", "d"))
    assert figures["recall@5"] == 2 / 4
    assert figures["recall@30"] == 3 / 4
    assert figures["mrr@10"] == 1.0
    assert figures["map@10"] == pytest.approx((1 + 2 / 3) / 4)
    assert figures["map@100"] == pytest.approx((1 + 2 / 3 + 3 / 11) / 4)
    assert figures["f1@5"] == pytest.approx(2 * 0.4 * 0.5 / 0.9)
    assert figures["f1@30"] == pytest.approx(2 * 0.1 * 0.75 / 0.85)  # of 30, not of 11


def test_a_first_hit_past_the_cutoff_counts_nothing() -> None:
    figures = score_ranking([*"uvwxyz", "a"], ("a",))
    assert (figures["mrr@5"], figures["mrr@10"]) == (0.0, 1 / 7)
    assert score_ranking([*"vwxy", "a"], ("a",))["mrr@5"] == 1 / 5


@pytest.mark.parametrize("ranking", [[], ["x"] * 3, [*map(str, range(100)), "a"]])
def test_what_is_not_among_the_first_hundred_is_not_found(ranking: list[str]) -> None:
    assert not any(score_ranking(ranking, ("a",)).values())


@pytest.mark.parametrize("seed", range(3))
def test_the_figures_are_those_of_the_independent_scorer(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    names = [f"p{number}" for number in range(60)]
    cited = {f"c{number}": rng.sample(names, rng.randint(0, 12)) for number in range(57)}
    rankings = {name: rng.sample(names, rng.choice([0, 3, 9, 10, 11, 60])) for name in cited}
    contexts, run = tmp_path / "contexts.jsonl", tmp_path / "run.jsonl"
    write(contexts, [{"context_id": name, "cited": papers} for name, papers in cited.items()])
    write(run, [{"context_id": name, "ranking": ids} for name, ids in rankings.items()])
    expected = score(contexts, run)
    rows = [score_ranking(rankings[name], papers) for name, papers in cited.items() if papers]
    assert expected.pop("contexts") == len(rows)
    expected.pop("answered")
    assert mean_figures(rows) == expected


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_hits_are_counted_over_all_markers_found_or_not() -> None:
    assert hit_figures([1, 5, 6, None]) == {
        "markers": 4,
        "hit@1": 0.25,
        "hit@5": 0.5,
        "mrr": round((1 + 1 / 5 + 1 / 6) / 4, 4),
    }


def test_no_rows_have_no_figures() -> None:
    assert hit_figures([]) == mean_figures([]) == {}


def test_hits_have_intervals_over_documents() -> None:
    ranks, documents = [1, 1, 7, None], ["a", "a", "b", "b"]
    assert hit_intervals(ranks, documents) == {
        "hit@1": [0.0, 1.0],
        "hit@5": [0.0, 1.0],
        "mrr": [round(1 / 14, 4), 1.0],
    }
    assert hit_intervals(ranks, ["a", "b", "b", "a"])["hit@1"] == [0.5, 0.5]


def test_calibration_says_how_often_a_score_was_right() -> None:
    rows = calibration([0.05, 0.55, 0.52, 1.0], [False, True, False, True])
    assert rows == [
        {"from": 0.0, "markers": 1, "right": 0.0},
        {"from": 0.5, "markers": 2, "right": 0.5},
        {"from": 0.9, "markers": 1, "right": 1.0},
    ]


def test_the_interval_holds_the_mean_and_narrows_with_more_values() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 500
    low, high = bootstrap_interval(few)
    assert low < 0.5 < high
    closer_low, closer_high = bootstrap_interval(many)
    assert low < closer_low < 0.5 < closer_high < high
    assert bootstrap_interval([]) == (0.0, 0.0)
    assert bootstrap_interval(few, level=0.5)[0] > low
    error = 0.5 / 1000**0.5  # of the mean of `many`, which is all but normal
    assert bootstrap_interval(many) == pytest.approx((0.5 - 1.96 * error, 0.5 + 1.96 * error), 0.01)


def test_an_interval_over_documents_draws_whole_documents() -> None:
    alike, mixed = [0.0] * 50 + [1.0] * 50, [0.0, 1.0] * 50
    documents = [number // 10 for number in range(100)]
    alone = bootstrap_interval(alike)
    low, high = bootstrap_interval(alike, documents)
    assert low < alone[0] < alone[1] < high
    error = 0.5 / 10**0.5  # of the mean of ten documents
    assert (low, high) == pytest.approx((0.5 - 1.96 * error, 0.5 + 1.96 * error), abs=0.03)
    # What all documents have in common is no matter of chance.
    assert bootstrap_interval(mixed, documents) == (0.5, 0.5)


def test_a_document_counts_in_an_interval_by_its_values() -> None:
    values, documents = [1.0] * 90 + [0.0] * 10, ["long"] * 90 + ["short"] * 10
    assert bootstrap_interval(values, documents) == (0.0, 1.0)
    assert bootstrap_interval(values, documents, level=0.1) == (0.9, 0.9)
    apart = [str(number) for number in range(100)]
    assert bootstrap_interval(values, apart) == bootstrap_interval(values)


def test_an_interval_of_many_contexts_takes_little_memory() -> None:
    tracemalloc.start()
    try:
        bootstrap_interval([0.0, 1.0] * 10_000)
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
