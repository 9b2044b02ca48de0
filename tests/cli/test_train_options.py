"""The options of a training: whose they are, and how a card shows them.

A card shows what was given, nothing of this machine, and no option that did nothing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cite_lsp.cli import build_parser, train_command
from tests.cli.conftest import Outcome

ROOT = Path(__file__).parents[2]


def shown(tmp_path: Path, recipe: str, *more: object) -> str:
    folder = tmp_path / "data"
    words = ["train", recipe, "--papers", folder / "papers.jsonl", "--contexts", folder / "a.jsonl"]
    words += ["--dev", folder / "b.jsonl", "--out", tmp_path / "models" / "mine", *more]
    return train_command._command(build_parser().parse_args([str(word) for word in words]))


def test_files_are_named_without_the_folders_above_theirs(tmp_path: Path) -> None:
    assert shown(tmp_path, "tanaka-phase1") == (
        "cite-lsp train tanaka-phase1 --papers data/papers.jsonl --contexts data/a.jsonl"
        " --dev data/b.jsonl --seed 13 --out models/mine"
    )


@pytest.mark.parametrize(
    ("recipe", "given", "expected"),
    [
        ("tanaka-phase1", ("--negatives", 3, "--max-tokens", 64), "--max-tokens 64 --negatives 3"),
        ("tanaka-phase2", ("--base", "all-MiniLM-L6-v2"), "--base all-MiniLM-L6-v2"),
        ("kieu", ("--edges", "/far/en/edges.tsv"), "--edges en/edges.tsv"),
        ("tanaka-phase1", ("--head", "--epochs", 2), "--epochs 2 --head"),
    ],
)
def test_what_was_given_is_shown(
    tmp_path: Path, recipe: str, given: tuple[object, ...], expected: str
) -> None:
    assert f" {expected} " in shown(tmp_path, recipe, *given)


def test_a_base_in_a_folder_is_named_without_its_place(tmp_path: Path) -> None:
    (tmp_path / "models" / "base").mkdir(parents=True)
    command = shown(tmp_path, "tanaka-phase1", "--base", tmp_path / "models" / "base")
    assert " --base models/base " in command and str(tmp_path) not in command


@pytest.mark.parametrize(
    ("recipe", "more", "message"),
    [
        ("kieu", "--head", "unrecognized arguments: --head"),
        ("kieu", "--pool 2", "unrecognized arguments: --pool 2"),
        ("co-citation-head", "--max-tokens 3", "unrecognized arguments: --max-tokens 3"),
        ("library-ranker", "--base static", "unrecognized arguments: --base static"),
        ("tanaka-phase1", "--loss mpt", "unrecognized arguments: --loss mpt"),
        ("tanaka-phase1", "--head --max-tokens 3", "--max-tokens: a head does not take it; "),
        ("mp-bert4cr", "--head --loss mpt", "--loss: a head does not take it; leave it out"),
        ("tanaka-phase1", "--head --among a", "--among: without --pool and --head "),
        ("tanaka-phase1", "--pool 3 --among a", "--among: without --pool and --head "),
    ],
)
def test_an_option_that_would_do_nothing_is_wrong_usage(
    command: Callable[..., Outcome], tmp_path: Path, recipe: str, more: str, message: str
) -> None:
    outcome = command(
        *("train", recipe, *more.split(), "--papers", "gone.jsonl", "--contexts", "gone.jsonl"),
        *("--dev", "gone.jsonl", "--out", tmp_path / "out"),
    )
    assert outcome.status == 2
    assert message in outcome.err.splitlines()[-1]
    assert not (tmp_path / "out").exists()


def printed_commands() -> Iterator[tuple[str, str]]:
    """Yield every whole command of a training that a page or a card prints, with its file."""
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "model_zoo").glob("*/README.md")]
    for page in pages:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for command in re.finditer(
            r"`(cite-lsp train [^`]*)`|^ {4}(cite-lsp train .*)$", text, re.M
        ):
            line = (command[1] or command[2]).replace("\n", " ")
            if "--out" in line and "…" not in line:
                yield page.relative_to(ROOT).as_posix(), line


def test_every_command_that_is_printed_is_accepted() -> None:
    commands = list(printed_commands())
    assert len(commands) >= 12
    for page, line in commands:
        options = build_parser().parse_args(shlex.split(line)[1:])
        assert train_command._idle(options) == "", (page, line)
        assert train_command._command(options).split()[:3] == line.split()[:3]


def test_parts_of_commands_that_are_printed_are_accepted(tmp_path: Path) -> None:
    for line in (
        "tanaka-phase1 --max-tokens 128 --epochs 1 --learning-rate 5e-5",
        "tanaka-phase2 --sample 5000 --max-tokens 128 --epochs 1",
        "blsrec --variant 1 --learning-rate 0.01 --epochs 5",
        "kieu --papers p --batch 64 --epochs 1 --max-tokens 32",
    ):
        recipe, *more = line.split()
        assert "--epochs" in shown(tmp_path, recipe, *more), line
