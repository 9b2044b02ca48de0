"""`eval missing`: what comes back of the citations of a section."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]


def test_recall_and_precision_stand_beside_those_of_the_baseline(
    command: Command, desk: Path
) -> None:
    outcome = command("eval", "missing", desk, "--json")
    assert outcome.status == 0
    report = outcome.json
    assert report["task"] == "missing" and report["sentences"] >= 2
    english = report["figures"]["English"]
    baseline, *others = english.values()
    assert next(iter(english)) == "BM25, every sentence"
    assert baseline["removed"] == 2 and baseline["recall@3"] == 1.0
    for figures in others:
        assert figures["offers"] <= report["sentences"]
        assert 0 <= figures["recall@1"] <= figures["recall@3"] <= 1


def test_it_is_printed_as_a_table(command: Command, desk: Path) -> None:
    lines = command("eval", "missing", desk).out.splitlines()
    assert "English: 2 citations removed" in lines
    assert any("(the default)" in line for line in lines)


def test_precision_against_recall_is_drawn(command: Command, desk: Path) -> None:
    assert command("eval", "missing", desk, "--figure", desk / "curve.svg").status == 0
    drawing = (desk / "curve.svg").read_text(encoding="utf-8")
    assert all(f">{name}<" in drawing for name in ("careful", "balanced", "eager"))


def test_a_drawing_that_cannot_be_written_is_reported_before_the_work(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cite_lsp.cli.tasks.missing.evaluate_folder", None)
    outcome = command("eval", "missing", desk, "--figure", desk / "gone" / "curve.svg")
    assert outcome.status == 1 and "cannot be written" in outcome.error
    outcome = command("eval", "missing", desk, "--figure", desk)
    assert outcome.status == 1 and "cannot be written" in outcome.error


def test_a_folder_without_drafts_is_one_line(command: Command, desk: Path) -> None:
    (desk / "empty").mkdir()
    assert "no draft here cites" in command("eval", "missing", desk / "empty").error
    assert "not a folder" in command("eval", "missing", desk / "gone").error
