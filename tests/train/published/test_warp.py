"""Algorithm 1 of BLSRec: what is drawn, what a rank costs, and that words stay within bounds."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.train.published import warp
from cite_lsp.train.published.blsrec_examples import (
    ExampleSet,
    TrainingData,
    make_examples,
    mean_average_precision,
)
from cite_lsp.train.published.warp import MARGIN, OnlineWarp, random_maps
from tests.recommend.bilingual import PAPERS, bags, contexts

pytest.importorskip("scipy", reason="needs the train extra")


@pytest.fixture(scope="module", params=[1, 2, 3])
def examples(request: pytest.FixtureRequest) -> ExampleSet:
    return make_examples(TrainingData(contexts(8), contexts(4, "e"), PAPERS, bags()), request.param)


def test_the_weights_start_as_published(examples: ExampleSet) -> None:
    maps = random_maps(examples.learn, 400, seed=5)
    weights = np.concatenate([table.ravel() for pair in maps.values() for table in pair])
    assert abs(weights.mean()) < 0.002
    assert weights.std() == pytest.approx(1 / 20, rel=0.02)


def test_it_learns_which_papers_contexts_cite(examples: ExampleSet) -> None:
    maps = random_maps(examples.learn, 20, seed=5)
    trainer = OnlineWarp(examples.learn, maps, seed=5, learning_rate=0.05)
    for number in range(60):
        trainer.epoch(number)
    assert mean_average_precision(examples.check, maps) == 1.0


def test_no_words_vector_is_longer_than_the_constraint_allows(examples: ExampleSet) -> None:
    maps = random_maps(examples.learn, 20, seed=5)
    trainer = OnlineWarp(examples.learn, maps, seed=5, learning_rate=5.0)
    for number in range(3):
        trainer.epoch(number)
        for table in (table for pair in maps.values() for table in pair):
            assert np.linalg.norm(table, axis=1).max() <= 1 + 1e-5


def test_the_same_seed_gives_the_same_weights(examples: ExampleSet) -> None:
    runs = []
    for seed in (5, 5, 6):
        maps = random_maps(examples.learn, 10, seed=5)
        OnlineWarp(examples.learn, maps, seed=seed).epoch(1)
        runs.append(maps["chinese-english"][0])
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0], runs[2])


def test_a_search_through_the_whole_pool_finds_what_single_draws_find(
    examples: ExampleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []
    for drawn in (0, 10**6):
        monkeypatch.setattr(warp, "_LONG_SEARCH", drawn)
        maps = random_maps(examples.learn, 10, seed=5)
        OnlineWarp(examples.learn, maps, seed=5).epoch(1)
        runs.append(np.concatenate([table.ravel() for pair in maps.values() for table in pair]))
    assert np.abs(runs[0]).max() > 0
    assert np.allclose(runs[0], runs[1], atol=1e-6)


def test_a_step_is_the_derivative_of_the_margin_times_the_loss_of_the_estimated_rank() -> None:
    """Checked against the definition, written out: eq. 7 and L(k) = 1 + 1/2 + … + 1/k."""
    made = make_examples(TrainingData(contexts(4), contexts(4, "e"), PAPERS, bags()), 1)
    maps = random_maps(made.learn, 6, seed=1)
    rate = 1e-3
    trainer = OnlineWarp(made.learn, maps, seed=1, learning_rate=rate, longest=100.0)
    context, cited = map(int, made.learn.pairs[0])
    before = {name: (own.copy(), others.copy()) for name, (own, others) in maps.items()}
    rng, again = np.random.default_rng(9), np.random.default_rng(9)
    trainer._step(context, cited, rng)

    own, others = before["chinese-english"]
    x, y = spread(made.learn.contexts["chinese"], context), made.learn.papers["english"]
    scores = np.array([x @ own @ (spread(y, row) @ others) for row in range(len(PAPERS))])
    drawn = again.integers(0, len(PAPERS), 8)
    wrong = [
        place
        for place, row in enumerate(drawn)
        if row != cited and scores[row] > scores[cited] - MARGIN
    ]
    tried = wrong[0] + 1
    loss = sum(1 / rank for rank in range(1, max((len(PAPERS) - 1) // tried, 1) + 1))
    pull = spread(y, cited) @ others - spread(y, int(drawn[wrong[0]])) @ others
    assert np.allclose(maps["chinese-english"][0], own + rate * loss * np.outer(x, pull), atol=1e-6)


def spread(rows: object, number: int) -> np.ndarray:
    vector = np.zeros(rows.width)  # type: ignore[attr-defined]
    places, values = rows.row(number)  # type: ignore[attr-defined]
    vector[places] = values
    return vector


def test_a_paper_cited_there_too_is_never_pushed_away() -> None:
    both = [context_of_two(number) for number in range(3)]
    made = make_examples(TrainingData(both, both, PAPERS[:2], bags()), 1)
    maps = random_maps(made.learn, 6, seed=1)
    before = maps["chinese-english"][0].copy()
    OnlineWarp(made.learn, maps, seed=1, longest=100.0).epoch(1)
    assert np.array_equal(maps["chinese-english"][0], before)


def context_of_two(number: int) -> LabelledContext:
    from attrs import evolve

    return evolve(contexts(1)[0], context_id=f"two-{number}", cited=("mt", "gull"))
