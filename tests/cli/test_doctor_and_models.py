"""`doctor` and `models`: what is installed, and whether it works."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.cli import doctor_command
from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]


def test_the_doctor_finds_a_whole_installation_well(command: Command, desk: Path) -> None:
    outcome = command("doctor", "--json")
    report = outcome.json
    assert outcome.status == 0 and report["ok"] is True
    assert set(report["checks"]) == {
        "python",
        "models",
        "encoder",
        "ranker",
        "folders",
        "ranking",
        "gpu",
        "corpora",
    }
    assert str(desk.parent / "home") in report["checks"]["folders"]["message"]
    assert report["checks"]["corpora"]["message"] == "none indexed"


def test_the_doctor_names_what_fails_and_goes_on(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_DEVICE", "abacus")
    command("index", "dump.jsonl")
    outcome = command("doctor", "--json")
    checks = outcome.json["checks"]
    assert outcome.status == 1 and outcome.json["ok"] is False
    assert not checks["encoder"]["ok"]
    assert "CITE_LSP_DEVICE is auto, cpu or cuda" in checks["encoder"]["message"]
    assert checks["python"]["ok"] and checks["folders"]["ok"]
    assert "  FAILED encoder: " in command("doctor").out


def test_the_doctor_finds_a_damaged_model(desk: Path) -> None:
    assert "encoders, all files whole" in doctor_command._models()
    mine = desk.parent / "home" / "models" / "mine"
    shutil.copytree(Path(__file__).parents[2] / "model_zoo" / "cross-lingual", mine)
    with (mine / "model.safetensors.zst").open("r+b") as file:
        file.seek(5000)
        file.write(b"damage")
    passed, message = doctor_command._attempt(doctor_command._models)
    assert not passed
    assert message.startswith(f"{mine / 'model.safetensors.zst'}: damaged, its sha256 differs")


def test_the_doctor_counts_the_corpora(command: Command) -> None:
    command("index", "dump.jsonl", "--corpus", "shores")
    assert doctor_command._corpora() == "shores (4)"


def test_the_doctor_says_when_a_folder_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "file"))
    message = f"{tmp_path / 'file'}: cannot be written; set CITE_LSP_HOME to another"
    assert doctor_command._attempt(doctor_command._folders) == (False, message)
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    good, message = doctor_command._attempt(doctor_command._folders)
    assert not good and message.endswith("cannot be written; set CITE_LSP_HOME to another")


def test_models_lists_a_head_that_does_not_say_what_it_is_of(command: Command, desk: Path) -> None:
    added = desk.parent / "home" / "models" / "torso"
    added.mkdir(parents=True)
    (added / "config.json").write_text('{"kind": "head"}')
    line = command("models").out.splitlines()[-1]
    assert line == f"torso: head on ?, ? dimensions, 0.0 kB, {added}"


def test_models_lists_what_ships_and_what_the_user_added(command: Command, desk: Path) -> None:
    added = desk.parent / "home" / "models" / "mine"
    added.mkdir(parents=True)
    (added / "config.json").write_text(json.dumps({"name": "mine", "dimensions": 7}))
    broken = added.with_name("broken")
    broken.mkdir()
    (broken / "config.json").write_text("{")
    outcome = command("models", "--json")
    assert outcome.status == 0
    models = {model["name"]: model for model in outcome.json["models"]}
    assert models["all-MiniLM-L6-v2"]["dimensions"] == 384
    assert models["mine"]["folder"] == str(added)
    assert "broken" not in models
    lines = command("models").out.splitlines()
    assert f"mine: encoder, 7 dimensions, 0.0 kB, {added}" in lines
    (ranker,) = (line for line in lines if line.startswith("library-ranker: "))
    assert ranker.startswith("library-ranker: orders the papers of your library; ranker, 3")
    assert not any("hit@" in line or "mrr" in line.lower() for line in lines)


def test_models_says_what_each_that_ships_is_for(command: Command) -> None:
    lines = command("models").out.splitlines()
    assert lines and all("; " in line for line in lines)
