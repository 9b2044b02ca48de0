"""The trials in their small form, in one session; `make chaos` runs each in full."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.chaos.all import TRIALS
from tests.chaos.run import run, run_in_one_session
from tests.chaos.trials import FaultTrial, Trial

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")

IN_SESSIONS = [trial for trial in TRIALS if isinstance(trial, Trial) and not trial.command]
OF_COMMANDS = [trial for trial in TRIALS if isinstance(trial, Trial) and trial.command]
OF_FAULTS = [trial for trial in TRIALS if isinstance(trial, FaultTrial) and trial.in_short]
KINDS = list(dict.fromkeys(trial.kind for trial in IN_SESSIONS))


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_answers_whatever_a_workspace_holds(tmp_path: Path, kind: str) -> None:
    trials = [trial for trial in IN_SESSIONS if trial.kind == kind]
    assert list(run_in_one_session(trials, tmp_path)) == []


@pytest.mark.slow  # each a command, or several, of its own
@pytest.mark.parametrize("trial", OF_COMMANDS, ids=lambda trial: f"{trial.kind}: {trial.name}")
def test_a_command_ends_with_a_line(tmp_path: Path, trial: Trial) -> None:
    assert run(trial, tmp_path, 0).fault == ""


@pytest.mark.slow  # each a command, or several, of its own
@pytest.mark.parametrize("trial", OF_FAULTS, ids=lambda trial: f"{trial.kind}: {trial.name}")
def test_nothing_is_lost_where_something_fails(tmp_path: Path, trial: FaultTrial) -> None:
    assert run(trial, tmp_path, 0).fault == ""
