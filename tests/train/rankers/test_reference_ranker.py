"""Recipe `reference-ranker`: from lists of references and drafts to a model that is loaded."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.evaluate import task_pool
from cite_lsp.recommend.references.evidence import FEATURES
from cite_lsp.recommend.references.ranker import read_ranker
from cite_lsp.train.rankers import reference_ranker
from cite_lsp.train.rankers.groups import Groups
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import TrainingError
from tests.recommend.shores import TOPICS, TopicEncoder, many_papers

for package in ("lightgbm", "onnx"):
    pytest.importorskip(package, reason="needs the train extra")

COUNT = 80


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Papers that cite older ones of their topic, and a few drafts that do."""
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(task_pool, "load_encoder", lambda *names, **options: TopicEncoder())
    monkeypatch.setattr(reference_ranker, "drafts_encoder", TopicEncoder)
    fewer = evolve(reference_ranker.RANKER, rounds=5)
    monkeypatch.setattr(reference_ranker, "RANKER", fewer)
    rng = random.Random(3)
    papers = many_papers(COUNT)
    records: list[dict[str, Any]] = []
    lists: list[dict[str, Any]] = []
    for number, paper in enumerate(papers):
        year = 1980 + number // 4
        records.append({"id": paper.id, "title": paper.title, "year": year} | {"authors": ["A B"]})
        topic = next(word for word in TOPICS if word in paper.title)
        older = [other.id for other in papers[: number - 4] if topic in other.title]
        if len(older) >= 6 and number > 10:
            row = {"citing_id": paper.id, "year": year, "refs": rng.sample(older, 6)}
            lists.append(row)
    write(tmp_path / "papers.jsonl", records)
    write(tmp_path / "train.jsonl", [row for row in lists if row["year"] < 1997])
    write(tmp_path / "dev.jsonl", [row for row in lists if row["year"] >= 1997])
    context = {"context_id": "c", "citing_id": lists[-9]["citing_id"], "left": "a gull"}
    write(tmp_path / "texts.jsonl", [context])
    for name in range(6):
        folder = tmp_path / "drafts" / f"draft{name}"
        folder.mkdir(parents=True)
        topic = TOPICS[name % len(TOPICS)]
        entries = "".join(
            f"@article{{k{n}, title = {{The {topic} of shore {name} {n}}}}}\n" for n in range(6)
        )
        cited = " ".join(f"The {topic} is seen in many years \\cite{{k{n}}}." for n in range(6))
        (folder / "refs.bib").write_text(entries)
        (folder / "main.tex").write_text(f"\\section{{A}}\n{cited}\n\\bibliography{{refs}}\n")
    return tmp_path


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def job(data: Path, **options: object) -> Job:
    names: dict[str, object] = {
        "recipe": "reference-ranker",
        "papers": [data / "papers.jsonl"],
        "contexts": [data / "train.jsonl"],
        "dev": [data / "dev.jsonl"],
        "candidates": [],
        "texts": [data / "texts.jsonl"],
        "manuscripts": data / "drafts",
        "without": [],
        "sample": None,
        "out": data / "model",
        "seed": 13,
    }
    origin = Origin("shores", "cite-lsp train reference-ranker", "reference_ranker.py")
    return Job(argparse.Namespace(**names | options), origin, lambda *done: None, pytest.fail)


def test_it_learns_from_lists_and_drafts_and_writes_what_the_product_reads(data: Path) -> None:
    (figures,) = reference_ranker.run(job(data))
    assert len(figures.rows) == 3
    for measured in figures.rows.values():
        assert 0 < measured["map"] <= 1 and measured["recall@20"] <= measured["recall@50"]
    config = json.loads((data / "model" / "config.json").read_text())
    assert config["learned"]["drafts"] >= 3 and config["learned"]["lists"] > 10
    ranker = read_ranker(data / "model")
    probabilities = ranker.probabilities(np.zeros((4, len(FEATURES)), dtype=np.float32))
    assert ((0 < probabilities) & (probabilities < 1)).all()
    card = (data / "model" / "README.md").read_text()
    assert "lists, nothing cited yet" in card and "model.onnx" in card


def test_an_interrupted_run_computes_nothing_twice(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = reference_ranker.gather_material(job(data))
    monkeypatch.setattr("cite_lsp.train.rankers.whole_drafts.gather", None)
    again = reference_ranker.gather_material(job(data))
    assert np.array_equal(first.learned["lists"].features, again.learned["lists"].features)


def test_lists_that_are_too_short_teach_nothing(data: Path) -> None:
    write(data / "train.jsonl", [{"citing_id": "p70", "year": 1995, "refs": ["p1"]}])
    with pytest.raises(TrainingError, match="no list names 5 papers"):
        reference_ranker.run(job(data))


def test_scores_become_the_share_that_is_cited() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=4000)
    relevant = rng.random(4000) < 1 / (1 + np.exp(-(2 * scores - 3)))
    groups = Groups(np.zeros((4000, 1), "f4"), relevant.astype(np.int8), np.array([4000]))
    slope, intercept = reference_ranker.calibrate({"a": scores}, {"a": groups})
    assert slope == pytest.approx(2, abs=0.3) and intercept == pytest.approx(-3, abs=0.3)


def test_figures_are_means_over_the_lists() -> None:
    relevance = np.array([0, 1, 0, 1, 1, 0], dtype=np.int8)
    scores = np.array([3.0, 2.0, 1.0, 9.0, 8.0, 7.0])
    groups = Groups(np.zeros((6, 1), "f4"), relevance, np.array([3, 3]))
    figures = reference_ranker.list_figures(scores, groups)
    assert figures == {"mrr": 0.75, "map": 0.75, "recall@20": 1.0, "recall@50": 1.0}
