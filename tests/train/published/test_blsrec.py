"""Recipe `blsrec`: stops by held-out contexts, goes on after a kill, learns on from a base."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.train.published.blsrec_examples import TrainingData

pytest.importorskip("scipy", reason="needs the train extra")

from cite_lsp.recommend.published.blsrec import CONFIG, MODEL, BlsRec, BlsRecModel
from cite_lsp.train.published import blsrec
from cite_lsp.train.published.blsrec import Settings, train
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.report import TrainingError
from tests.recommend.bilingual import PAPERS, bags, context, contexts


def small(**more: Any) -> Settings:  # noqa: ANN401 - settings
    return Settings(**{"variant": 2, "dimensions": 8, "epochs": 4, "patience": 9} | more)


def run(out: Path, settings: Settings, **more: Any) -> blsrec.Result:  # noqa: ANN401 - options
    return train(
        TrainingData(contexts(12), contexts(4, "e"), PAPERS, bags()), out, settings, **more
    )


@pytest.mark.parametrize("algorithm", blsrec.ALGORITHMS)
@pytest.mark.parametrize("variant", [1, 2, 3])
def test_a_trained_model_finds_the_papers_and_says_how_it_was_made(
    tmp_path: Path, algorithm: str, variant: int
) -> None:
    settings = small(algorithm=algorithm, variant=variant, dimensions=60)
    result = run(tmp_path / "m", settings)
    model = BlsRecModel.open(tmp_path / "m")
    assert model.variant == variant and model.dimensions == 60
    scores = BlsRec(model, PAPERS, bags()).scores(context(1, "gull").context)
    assert PAPERS[int(scores.argmax())].id == "gull"
    assert model.facts["history"] == [round(value, 4) for value in result.history]
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == [CONFIG, MODEL]
    origin = Origin("toys", "cite-lsp train blsrec", "a.py")
    blsrec.write_card(tmp_path / "m", origin, model.facts)
    card = (tmp_path / "m" / "README.md").read_text()
    assert f"BLSRec {'I' * variant} " in card and "toys" in card and "| start |" in card


def test_the_weights_of_the_best_epoch_are_the_result_and_it_stops_when_nothing_is_gained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = iter([0.1, 0.3, 0.2, 0.25, 0.2, 0.9])
    seen: list[np.ndarray] = []

    def measure(examples: object, maps: Any) -> float:  # noqa: ANN401 - maps
        seen.append(maps["chinese-english"][0].copy())
        return next(figures)

    monkeypatch.setattr(blsrec, "mean_average_precision", measure)
    result = run(tmp_path / "m", small(epochs=9, patience=3))
    assert (result.history, result.best_epoch) == ((0.1, 0.3, 0.2, 0.25, 0.2), 1)
    assert np.array_equal(result.model.maps["chinese-english"][0], seen[1])


def test_new_pairs_are_learned_without_starting_over(tmp_path: Path) -> None:
    run(tmp_path / "old", small())
    old = BlsRecModel.open(tmp_path / "old")
    new = [context(n, "gull", "n", left="鸥鸟成群观测词汇") for n in range(4)]
    result = train(
        TrainingData(new, new, PAPERS, bags()),
        tmp_path / "new",
        small(epochs=1),
        base=tmp_path / "old",
    )
    words = result.model.vocabularies["chinese"].words
    assert words[: len(old.vocabularies["chinese"])] == old.vocabularies["chinese"].words
    assert len(words) > len(old.vocabularies["chinese"])
    untouched = old.vocabularies["chinese"].place("沉积")  # stands in no new context
    assert untouched is not None
    before, after = (m.maps["chinese-english"][0][untouched] for m in (old, result.model))
    assert np.allclose(before, after, atol=1e-3)
    assert json.loads((tmp_path / "new" / CONFIG).read_text())["base"] == "old"


def test_a_base_of_another_kind_is_refused(tmp_path: Path) -> None:
    run(tmp_path / "old", small())
    for other in (small(variant=1), small(dimensions=9)):
        with pytest.raises(TrainingError, match="is variant 2 of 8 dimensions"):
            run(tmp_path / "new", other, base=tmp_path / "old")
    with pytest.raises(TrainingError, match="cannot be read"):
        run(tmp_path / "new", small(), base=tmp_path / "gone")


def test_a_higher_variant_begins_where_a_lower_one_ended(tmp_path: Path) -> None:
    settings = small(dimensions=60)
    lower = run(tmp_path / "two", settings)
    higher = run(tmp_path / "three", evolve(settings, variant=3), base=tmp_path / "two")
    assert higher.model.variant == 3
    assert higher.history[0] == pytest.approx(max(lower.history), abs=0.05)


def test_contexts_that_cite_none_of_the_papers_teach_nothing(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="check that both name papers by the same ids"):
        train(TrainingData(contexts(4), contexts(4), PAPERS[4:], bags()), tmp_path / "m", small())
