"""Recipe `library-ranker`: from contexts to a model that the product loads."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.corpus.contexts import LabelledContext, context_from_record
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.ranker import Ranker
from cite_lsp.recommend.library.features import FEATURE_INDEX, FEATURES
from cite_lsp.train.rankers import groups as ranking
from cite_lsp.train.rankers import library_ranker
from cite_lsp.train.rankers.encoders import DraftEncoders
from cite_lsp.train.rankers.groups import Groups
from cite_lsp.train.run.job import ContextSplit
from cite_lsp.train.run.report import TrainingError
from tests.stand_in_encoders import WORDS, WordEncoder

ENCODERS = DraftEncoders(WordEncoder(), WordEncoder())


def made_up(documents: int, seed: int) -> tuple[list[LabelledContext], dict[str, Paper]]:
    """Return the markers of documents that cite papers by words of their titles."""
    rng = random.Random(seed)
    pairs = [(a, b) for a in WORDS for b in WORDS if a < b]
    papers = {
        f"p{n}": Paper(f"p{n}", f"The {a} and the {b}", f"On {a}.")
        for n, (a, b) in enumerate(pairs)
    }
    rows = []
    for number in range(documents):
        cited = rng.sample(sorted(papers), 12)
        for place, name in enumerate(cited):
            words = papers[name].title.lower().split()
            record = {
                "context_id": f"{seed}-{number}-{place}",
                "citing_id": f"{seed}-{number}",
                "left": f"It was shown for {words[1]} near",
                "right": f"{words[4]} in spring.",
                "section_title": "Shores",
                "cited": [name],
                "section_cited": [other for other in cited if other != name],
                "section_cited_before": cited[:place],
            }
            rows.append(context_from_record(record))
    return rows, papers


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lightgbm", reason="needs the train extra")
    pytest.importorskip("onnx", reason="needs the train extra")
    settings = {"min_data_in_leaf": 10, "num_threads": 1, "num_leaves": 7}
    parameters = {**library_ranker.RANKER.parameters, **settings}
    fewer = evolve(library_ranker.RANKER, parameters=parameters, rounds=12)
    monkeypatch.setattr(library_ranker, "RANKER", fewer)


def test_a_trained_model_is_one_that_the_product_loads(tmp_path: Path, few_trees: None) -> None:
    rows, papers = made_up(8, seed=1)
    check, _ = made_up(4, seed=2)
    stages: list[tuple[str, int, int]] = []
    config = library_ranker.train(
        ContextSplit(rows, check),
        papers,
        ENCODERS,
        tmp_path / "ranker",
        progress=lambda *stage: stages.append(stage),
    )
    assert stages[-1] == ("dev", 4, 4) and ("train", 8, 8) in stages
    written = json.loads((tmp_path / "ranker" / "config.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(config))
    assert tuple(written["features"]) == FEATURES
    assert (written["train_groups"], written["dev_groups"]) == (96, 48)
    assert 1 <= written["trees"] <= 12
    assert 0.1 <= written["temperature"] <= 10
    assert sum(written["gain"].values()) == pytest.approx(1, abs=0.01)
    learned = written["dev"]
    assert learned["hit@1"] > 0.5  # the words of the title stand in the sentence
    assert 0 <= learned["hit@1"] <= learned["mrr"] <= 1
    ranker = Ranker(tmp_path / "ranker", FEATURES, recipe="library-ranker")
    held_out = library_ranker.make_groups(check, papers, ENCODERS, seed=13)
    scores = ranker.score(held_out.features).astype(np.float64)
    again = ranking.ranking_figures(scores, held_out)
    assert again == pytest.approx(learned)


def test_the_same_seed_makes_the_same_groups() -> None:
    rows, papers = made_up(2, seed=1)
    first, second, other = (
        library_ranker.make_groups(rows, papers, ENCODERS, seed=seed) for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first.features, second.features)
    assert first.sizes.tolist() == second.sizes.tolist() != other.sizes.tolist()


def test_every_group_has_an_answer_and_something_to_tell_it_from() -> None:
    rows, papers = made_up(4, seed=1)
    groups = library_ranker.make_groups(rows, papers, ENCODERS, seed=5)
    assert groups.sizes.sum() == len(groups.features) == len(groups.relevance)
    for part in np.split(groups.relevance, np.cumsum(groups.sizes)[:-1]):
        assert 0 < part.sum() < len(part)


def test_some_drafts_are_seen_as_before_the_encoder_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows, papers = made_up(2, seed=1)
    missing = {}
    for share in (0.0, 1.0):
        monkeypatch.setattr(library_ranker, "WITHOUT_ENCODER", share)
        groups = library_ranker.make_groups(rows, papers, ENCODERS, seed=5)
        missing[share] = np.isnan(groups.features[:, FEATURE_INDEX["near_title"]])
    assert not missing[0.0].any() and missing[1.0].all()


def test_the_rows_learned_from_hold_the_answers_and_none_that_may_not_be_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(library_ranker, "NEGATIVES_HARD", 60)
    monkeypatch.setattr(library_ranker, "NEGATIVES_RANDOM", 30)
    rng = random.Random(3)
    matrix = np.random.default_rng(3).random((400, len(FEATURES)), dtype=np.float32)
    matrix[:, FEATURE_INDEX["section_nearest"]] = np.nan
    labels = np.zeros(400, dtype=np.int8)
    labels[[7, 300]] = 1
    candidates = np.ones(400, dtype=bool)
    candidates[[300, 301]] = False
    chosen = library_ranker.sample_rows(matrix, labels, candidates, rng)
    assert 7 in chosen and not {300, 301} & set(chosen.tolist())
    assert len(set(chosen.tolist())) == len(chosen) <= 91
    best = int(np.where(candidates, matrix[:, FEATURE_INDEX["near_title"]], -1).argmax())
    assert best in chosen


def groups_of(*relevance: list[int]) -> Groups:
    flat = np.array([value for part in relevance for value in part], dtype=np.int8)
    sizes = np.array([len(part) for part in relevance])
    return Groups(np.zeros((len(flat), 1), dtype=np.float32), flat, sizes)


def test_ties_count_against_a_ranking() -> None:
    groups = groups_of([1, 0, 0], [0, 1, 0])
    figures = ranking.ranking_figures(np.array([1.0, 1.0, 0.0, 0.0, 2.0, 1.0]), groups)
    assert figures == {"hit@1": 0.5, "hit@5": 1.0, "mrr": 0.75}


def test_the_temperature_is_low_where_the_scores_are_right_and_high_where_they_are_not() -> None:
    scores = np.array([1.0, 0.0, 1.0, 0.0])
    sure = ranking.fit_temperature(scores, groups_of([1, 0], [1, 0]))
    unsure = ranking.fit_temperature(scores, groups_of([1, 0], [0, 1]))
    assert sure == pytest.approx(0.1)
    assert unsure == pytest.approx(10.0)


def test_contexts_that_cite_none_of_the_papers_are_an_error(
    tmp_path: Path, few_trees: None
) -> None:
    rows, papers = made_up(2, seed=1)
    strangers = {f"x{name}": paper for name, paper in papers.items()}
    with pytest.raises(TrainingError, match="check that both name papers by the same ids"):
        library_ranker.train(ContextSplit(rows, rows), strangers, ENCODERS, tmp_path / "r")


def test_a_missing_package_is_reported_before_the_work_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "lightgbm", None)
    rows, papers = made_up(1, seed=1)
    with pytest.raises(TrainingError, match=r"needs lightgbm .*run `.*\[train\]"):
        library_ranker.train(ContextSplit(rows, rows), papers, ENCODERS, tmp_path)
