"""A run of a recipe: its settings, and checkpoints that serve no other one."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from attrs import frozen

from cite_lsp.train.run import job
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.job import claim_checkpoints
from cite_lsp.train.run.report import TrainingError


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> argparse.Namespace:
    """The options of a run on a file of contexts, from a base in a folder; one model ships."""
    for name in ("contexts.jsonl", "base/model.safetensors", "zoo/trees/config.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    monkeypatch.setattr(job, "shipped_model", (tmp_path / "zoo").joinpath)
    return argparse.Namespace(
        recipe="query-encoder",
        contexts=[tmp_path / "contexts.jsonl"],
        without=(),
        base=str(tmp_path / "base"),
        epochs=None,
        sources="sands",
        out=tmp_path / "out",
    )


def test_the_same_run_goes_on_wherever_its_data_is_said_to_be_from(
    options: argparse.Namespace,
) -> None:
    claim_checkpoints(options)
    (options.out / "checkpoints" / "checkpoint-1").mkdir()
    options.sources = "shores"
    claim_checkpoints(options)


@pytest.mark.parametrize(
    "changed", ["contexts.jsonl", "base/model.safetensors", "zoo/trees/config.json"]
)
def test_other_data_and_models_are_refused(options: argparse.Namespace, changed: str) -> None:
    claim_checkpoints(options)
    (options.out / "checkpoints" / "checkpoint-1").mkdir()
    (options.out.parent / changed).write_text("another")
    with pytest.raises(TrainingError, match="other data or settings"):
        claim_checkpoints(options)


def test_other_settings_are_refused(options: argparse.Namespace) -> None:
    claim_checkpoints(options)
    (options.out / "checkpoints" / "checkpoint-1").mkdir()
    options.epochs = 2
    with pytest.raises(TrainingError, match="other data or settings"):
        claim_checkpoints(options)


def test_a_run_that_left_no_checkpoint_gives_way(options: argparse.Namespace) -> None:
    claim_checkpoints(options)
    options.epochs = 2
    claim_checkpoints(options)
    (options.out / "checkpoints" / "checkpoint-1").mkdir()
    claim_checkpoints(options)


@frozen
class Settings:
    """Settings two of which are options, too."""

    epochs: int = 3
    rate: float = 0.5
    batch: int = 8


def test_settings_are_the_options_of_the_same_names_where_these_were_given() -> None:
    options = argparse.Namespace(epochs=5, batch=None, out=Path("out"))
    run = job.Job(options, Origin("", "", ""), lambda stage, done, total: None, pytest.fail)
    assert run.settings(Settings(rate=0.1)) == Settings(epochs=5, rate=0.1, batch=8)
