"""How a card shows the command of a training: what was given, and nothing of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.cli import build_parser, train_command


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
        ("corpus-encoder", ("--edges", "/far/en/edges.tsv"), "--edges en/edges.tsv"),
        ("static-encoder", ("--papers-only", "--dimensions", 64), "--dimensions 64 --papers-only"),
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
