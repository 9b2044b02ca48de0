"""What `make` installs and when, with a program in the place of Python that notes its calls."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYTHON = """\
#!/bin/sh
echo "$@" >> calls
[ -z "$PYTHONDONTWRITEBYTECODE" ] || echo "no bytecode" >> calls
case "$*" in
"-m venv"*) mkdir -p .venv/bin && cp python .venv/bin/python ;;
"-m pip"*) [ ! -e broken ] ;;
esac
"""

pytestmark = [
    pytest.mark.skipif(shutil.which("make") is None, reason="needs make"),
    pytest.mark.skipif(
        not (ROOT / "Makefile").exists(), reason="the Makefile is not part of this copy"
    ),
]


class Clone:
    """A clone of which there is no more than `make` looks at."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("Makefile", "pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, folder)
        (folder / "python").write_text(PYTHON)
        (folder / "python").chmod(0o755)

    def make(self, *arguments: str, status: int = 0) -> tuple[list[str], str]:
        """Return what Python was called with, and what was printed."""
        calls = self.folder / "calls"
        calls.write_text("")
        # A make that runs the tests hands its own variables on.
        ours = {"MFLAGS", "TORCH", "WORKERS", "ARGUMENTS", "PYTHON"}
        environment = {
            name: text
            for name, text in os.environ.items()
            if name not in ours and not name.startswith("MAKE")
        }
        done = subprocess.run(
            ["make", "PYTHON=./python", *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert bool(done.returncode) == bool(status), done.stderr
        return calls.read_text().splitlines(), done.stdout


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def installed(calls: list[str]) -> list[str]:
    return [call.split()[-1] for call in calls if call.startswith("-m pip")]


def test_the_demo_installs_no_more_than_the_server(clone: Clone) -> None:
    calls, _ = clone.make("demo")
    assert installed(calls) == ["."] and calls[-1] == "examples/demo.py"


def test_the_tests_install_what_development_needs_and_no_torch(clone: Clone) -> None:
    calls, _ = clone.make("test")
    assert installed(calls) == [".", ".[dev]"] and calls[-1].startswith("-m pytest")
    calls, _ = clone.make("TORCH=1", "test")
    assert [name.partition("==")[0] for name in installed(calls)] == ["torch", ".[dev,train]"]


def test_bytecode_is_kept_for_the_processes_that_tests_start(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    calls, _ = clone.make("test")
    assert calls and "no bytecode" not in calls


def test_a_second_run_installs_nothing(clone: Clone) -> None:
    for goal in (["demo"], ["test"], ["TORCH=1", "test"]):
        clone.make(*goal)
        calls, printed = clone.make(*goal)
        assert len(calls) == 1 and "Step" not in printed


def test_every_step_says_first_what_is_fetched(clone: Clone) -> None:
    calls, printed = clone.make("TORCH=1", "environment")
    steps = [line for line in printed.splitlines() if line.startswith("==> Step")]
    assert len(steps) == len([call for call in calls if call.startswith("-m")]) == 5
    assert all("fetch" in step for step in steps)


@pytest.mark.parametrize(
    ("before", "goal"),
    [
        ([], ["demo"]),
        ([], ["test"]),
        (["demo"], ["test"]),
        (["demo"], ["TORCH=1", "test"]),
        (["test"], ["TORCH=1", "test"]),
    ],
)
def test_an_environment_that_was_not_finished_is_made_anew(
    clone: Clone, before: list[str], goal: list[str]
) -> None:
    if before:
        clone.make(*before)
    (clone.folder / "broken").touch()
    clone.make(*goal, status=2)
    (clone.folder / "broken").unlink()
    calls, _ = clone.make(*goal)
    assert "-m venv --clear .venv" in calls and installed(calls)[0] == "."


def test_an_environment_that_is_out_of_date_is_brought_up_to_date_where_it_is(clone: Clone) -> None:
    clone.make("test")
    later = (clone.folder / ".venv" / ".ready").stat().st_mtime + 10
    os.utime(clone.folder / "pyproject.toml", (later, later))
    calls, _ = clone.make("test")
    assert "-m venv .venv" in calls and installed(calls) == [".", ".[dev]"]
