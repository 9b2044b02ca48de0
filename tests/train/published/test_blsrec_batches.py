"""BLSRec in batches: the slope is that of the loss, and the lexicon is a good place to start."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

pytest.importorskip("scipy", reason="needs the train extra")

from cite_lsp.evaluate.metrics import score_ranking
from cite_lsp.train.published import blsrec_batches
from cite_lsp.train.published.blsrec_batches import SoftmaxBatches, lexicon_maps
from cite_lsp.train.published.blsrec_examples import (
    Examples,
    ExampleSet,
    Maps,
    TrainingData,
    identity_products,
    make_examples,
    mean_average_precision,
)
from cite_lsp.train.published.warp import random_maps
from tests.recommend.bilingual import PAPERS, bags, context, contexts


@pytest.fixture(scope="module", params=[1, 3])
def examples(request: pytest.FixtureRequest) -> ExampleSet:
    return make_examples(TrainingData(contexts(8), contexts(4, "e"), PAPERS, bags()), request.param)


def loss(examples: Examples, maps: Maps, temperature: float) -> float:
    rows, pool = examples.pairs[:, 0], np.arange(examples.pool)
    scores = examples.map_context(rows, maps) @ examples.map_papers(pool, maps).T
    scores = (scores + identity_products(examples, rows, pool)).astype(np.float64) / temperature
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    return float(-np.log(likely[np.arange(len(rows)), examples.pairs[:, 1]]).mean())


def test_the_slope_is_that_of_the_cross_entropy(
    examples: ExampleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = random_maps(examples.learn, 4, seed=2)
    monkeypatch.setattr(blsrec_batches, "TEMPERATURE", 0.5)
    trainer = SoftmaxBatches(examples.learn, maps, seed=2)
    steps: list[tuple[int, np.ndarray]] = []

    def note(table: np.ndarray, squares: np.ndarray, rows: object, slope: np.ndarray) -> None:
        steps.append((id(table), np.asarray(rows.T @ slope)))  # type: ignore[attr-defined]

    monkeypatch.setattr(trainer, "_move", note)
    trainer._step(examples.learn.pairs, np.arange(len(PAPERS)))
    for pair in maps.values():
        for table in pair:
            (slope,) = [step for name, step in steps if name == id(table)]
            for place in ((0, 0), (1, 3), (2, 2)):
                values = []
                for change in (1e-2, -1e-2):
                    table[place] += change
                    values.append(loss(examples.learn, maps, 0.5))
                    table[place] -= change
                assert slope[place] == pytest.approx((values[0] - values[1]) / 2e-2, abs=2e-4)


def test_what_else_a_context_cites_is_no_wrong_answer() -> None:
    both = [evolve(row, cited=("mt", "gull")) for row in contexts(3)]
    learn = make_examples(TrainingData(both, contexts(4, "e"), PAPERS, bags()), 1).learn
    trainer = SoftmaxBatches(learn, random_maps(learn, 4, seed=2), seed=2)
    (context, paper), pool = learn.pairs[0], np.arange(len(PAPERS))
    slope = trainer._slope(np.zeros((1, len(pool)), np.float32), learn.pairs[:1], pool)[0]
    (other,) = set(learn.cited[context]) - {paper}
    assert slope[paper] < 0 and slope[other] == 0
    assert (np.delete(slope, [paper, other]) > 0).all()


def test_by_the_lexicon_the_right_papers_are_found_before_any_training(
    examples: ExampleSet,
) -> None:
    maps = lexicon_maps(examples.learn, examples.vocabularies, bags(), 300, seed=1)
    assert mean_average_precision(examples.check, maps) == 1.0
    blind = random_maps(examples.learn, 300, seed=1)
    if len(maps) == 1:
        assert mean_average_precision(examples.check, blind) < 1.0


def test_it_learns_which_papers_contexts_cite(examples: ExampleSet) -> None:
    maps = random_maps(examples.learn, 20, seed=5)
    trainer = SoftmaxBatches(examples.learn, maps, seed=5)
    for number in range(30):
        trainer.epoch(number)
    assert mean_average_precision(examples.check, maps) == 1.0


def test_map_is_that_of_the_definition(examples: ExampleSet) -> None:
    maps = random_maps(examples.check, 10, seed=8)
    pool = np.arange(len(PAPERS))
    rows = np.arange(len(examples.check.cited))
    scores = examples.check.map_context(rows, maps) @ examples.check.map_papers(pool, maps).T
    scores = scores + identity_products(examples.check, rows, pool)
    figures = [
        score_ranking([str(row) for row in np.argsort(-line)], {str(row) for row in cited})[
            "map@100"
        ]
        for line, cited in zip(scores, examples.check.cited, strict=True)
    ]
    assert mean_average_precision(examples.check, maps) == pytest.approx(np.mean(figures))


def test_papers_that_cannot_be_distinguished_are_not_all_first() -> None:
    rows = [*contexts(3, "e"), evolve(context(9, "gull"), cited=("gull", "tide"))]
    examples = make_examples(TrainingData(rows, rows, PAPERS, bags()), 1).check
    maps = random_maps(examples, 4, seed=1)
    nothing = {
        name: (context_map * 0, paper_map * 0) for name, (context_map, paper_map) in maps.items()
    }
    order = [str(row) for row in range(len(PAPERS))]
    figures = [
        score_ranking(order, {str(row) for row in cited})["map@100"] for cited in examples.cited
    ]
    assert mean_average_precision(examples, nothing) == pytest.approx(np.mean(figures))


def test_what_is_held_stays_and_the_rest_learns_what_it_leaves() -> None:
    examples = make_examples(TrainingData(contexts(8), contexts(4, "e"), PAPERS, bags()), 3)
    maps = random_maps(examples.learn, 8, seed=5)
    before = {name: [table.copy() for table in tables] for name, tables in maps.items()}
    held = {"chinese-english", "english-english", "chinese-chinese"}
    trainer = SoftmaxBatches(examples.learn, maps, seed=5, frozen=held)
    started = loss(examples.learn, maps, 0.1)
    for number in range(1, 6):
        trainer.epoch(number)
    assert loss(examples.learn, maps, 0.1) < started
    for name, tables in maps.items():
        still = [(after == start).all() for after, start in zip(tables, before[name], strict=True)]
        assert all(still) if name in held else not any(still)
