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
from cite_lsp.cli.options.train import TAKES
from cite_lsp.train.run.options import WITHOUT_CONTEXTS, given, refusal
from tests.cli.conftest import Outcome

ROOT = Path(__file__).parents[2]
VALUES = {"algorithm": "warp", "loss": "mpt-src"}
FLAGS = ("head",)
TYPED = {**VALUES, **dict.fromkeys(FLAGS, "")}


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


def written(name: str) -> list[str]:
    """Return an option as it may be given."""
    value = TYPED.get(name, "2")
    return [f"--{name.replace('_', '-')}", *([value] if value else [])]


def wrong_with(recipe: str, *more: str) -> str:
    contexts = [] if recipe in WITHOUT_CONTEXTS and more else ["--contexts", "c"]
    words = ["train", *recipe.split(), *contexts, "--dev", "d", "--out", "o", *more]
    return refusal(build_parser().parse_args(words), TAKES)


def own_options() -> set[str]:
    """Return all options but those of all recipes."""
    plain = build_parser().parse_args(["train", "kieu", "--contexts", "c", "--out", "o"])
    of_all = {"command", "recipe", "contexts", "dev", "out", "seed", "sources"}
    return {*vars(plain)} - of_all


def test_every_option_is_taken_by_a_recipe() -> None:
    taken = {name for names in TAKES.values() for name in names}
    assert taken == own_options()


@pytest.mark.parametrize("recipe", TAKES)
def test_a_recipe_takes_its_own_options_and_refuses_all_others(recipe: str) -> None:
    taken = TAKES[recipe]
    for name in sorted(own_options() - {"head"}):
        more = [*written(name), *(["--pool", "2"] if name == "among" else [])]
        wrong = wrong_with(recipe, *more)
        if name in taken:
            assert wrong == "", name
        else:
            assert re.match(
                f"--(pool|{name.replace('_', '-')}): {recipe} does not take it; ", wrong
            )


@pytest.mark.parametrize(
    ("recipe", "more", "message"),
    [
        (
            "tanaka-phase1 --head",
            "--hidden 3 --max-tokens 3",
            "--hidden: tanaka-phase1 --head does not take it; co-citation-head does",
        ),
        (
            "co-citation-head",
            "--max-tokens 3",
            "--max-tokens: co-citation-head does not take it; "
            "tanaka-phase1, tanaka-phase2, mp-bert4cr and kieu do",
        ),
        ("kieu", "--head", "--head: kieu does not take it; tanaka-phase1 and mp-"),
        (
            "kieu",
            "--pool 2 --among a",
            "--among: kieu does not take it; tanaka-phase1 --head and mp-bert4cr --head do",
        ),
        ("citation-worthiness", "--papers p", "--papers: citation-worthiness does not take it; "),
        ("library-ranker", "--base static", "--base: library-ranker does not take it; "),
        ("tanaka-phase1 --head", "--among a", "--among: without --pool "),
        (
            "static-encoder",
            "",
            "--contexts: static-encoder does not learn from contexts; leave it out",
        ),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(recipe: str, more: str, message: str) -> None:
    assert wrong_with(recipe, *more.split()).startswith(message)


def test_a_refused_option_is_wrong_usage_reported_in_one_line(
    command: Callable[..., Outcome], tmp_path: Path
) -> None:
    outcome = command(
        *("train", "tanaka-phase1", "--head", "--hidden", "3", "--papers", "dump.jsonl"),
        *("--contexts", "gone.jsonl", "--dev", "gone.jsonl", "--out", tmp_path / "out"),
    )
    assert outcome.misuse == (
        "--hidden: tanaka-phase1 --head does not take it; co-citation-head does"
    )
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
        assert refusal(options, TAKES) == "", (page, line)
        assert train_command._command(options).split()[:3] == line.split()[:3]


def test_parts_of_commands_that_are_printed_are_accepted() -> None:
    for line in (
        "tanaka-phase1 --max-tokens 128 --epochs 1 --learning-rate 5e-5",
        "tanaka-phase2 --sample 5000 --max-tokens 128 --epochs 1",
        "blsrec --variant 1 --learning-rate 0.01 --epochs 5",
        "kieu --papers p --batch 64 --epochs 1 --max-tokens 32",
    ):
        recipe, *more = line.split()
        assert wrong_with(recipe, *more) == "", line


def test_nothing_but_what_was_given_counts_as_given() -> None:
    plain = build_parser().parse_args(["train", "kieu", "--contexts", "c", "--out", "o"])
    assert given(plain) == {}
