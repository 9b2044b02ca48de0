"""`eval doubts`: right and wrong citations that are called doubtful."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.recommend.missing import doubts
from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]


@pytest.mark.parametrize(("times", "found"), [(1e9, 0.0), (1.0, 1.0)])
def test_right_and_wrong_keys_are_counted_apart(
    command: Command,
    desk: Path,
    monkeypatch: pytest.MonkeyPatch,
    times: float,
    found: float,
) -> None:
    monkeypatch.setattr(doubts, "TIMES", times)  # a library of four entries has no 2,000
    outcome = command("eval", "doubts", desk, "--json")
    assert outcome.status == 0
    english = outcome.json["figures"]["English"]
    assert english["citations"] == 2
    assert english["right"] == 0.0, "both come first at their places"
    assert english["wrong"] == found


def test_they_are_printed_as_a_table(command: Command, desk: Path) -> None:
    lines = command("eval", "doubts", desk).out.splitlines()
    assert "in doubt" in lines[0] and lines[-1].startswith("| English")


def test_a_folder_without_drafts_is_one_line(command: Command, desk: Path) -> None:
    (desk / "empty").mkdir()
    assert "no draft here cites" in command("eval", "doubts", desk / "empty").error
