"""docs/security.md is true: each line of what is defended names tests, and they are there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "security.md"
if not PAGE.exists() or not (ROOT / "editors").exists():
    pytest.skip("the documentation is not part of this copy", allow_module_level=True)

HELD_BY = re.compile(r"`((?:tests|editors)/[\w./-]+)` \((`[^`]+`(?:, `[^`]+`)*)\)")
UNPICKLING = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


def lines() -> list[str]:
    """The lines of what is defended."""
    section = PAGE.read_text(encoding="utf-8").partition("\n## What is defended\n")[2]
    return re.findall(r"^\| .*\|$", section.partition("\n## ")[0], re.MULTILINE)[2:]


def holders(line: str) -> Iterator[tuple[str, str]]:
    """The files and tests that hold a line."""
    for file, names in HELD_BY.findall(line):
        yield from ((file, name) for name in re.findall(r"`([^`]+)`", names))


@cache
def defined_in(file: str) -> frozenset[str]:
    """The tests of a file in Python or in TypeScript."""
    text = (ROOT / file).read_text(encoding="utf-8")
    if file.endswith(".py"):
        return frozenset(re.findall(r"^(?:async )?def (test_\w+)\(", text, re.MULTILINE))
    return frozenset(re.findall(r'^ *it\("([^"]+)"', text, re.MULTILINE))


def test_each_line_of_what_is_defended_is_held_by_a_test() -> None:
    assert len(lines()) > 20
    assert [line for line in lines() if not list(holders(line))] == []


def test_each_test_that_is_named_is_there() -> None:
    named = {test for line in lines() for test in holders(line)}
    assert {(file, name) for file, name in named if name not in defined_in(file)} == set()


def test_how_to_report_and_what_is_defended_are_said_once() -> None:
    reporting = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    assert "docs/security.md" in reporting and "](../SECURITY.md)" in page
    sentences = {part.strip() for part in re.split(r"(?<=\.)\s", " ".join(reporting.split()))}
    assert [part for part in sentences if len(part) > 30 and part in " ".join(page.split())] == []


@pytest.mark.parametrize(
    ("source", "unpickles"),
    [
        *(("import pickle", True), ("from joblib import load", True)),
        *(("torch.load(path)", True), ("np.load(path, allow_pickle=True)", True)),
        *(("np.load(path)", False), ("json.load(file)", False)),
    ],
)
def test_what_unpickles_is_noticed(source: str, unpickles: bool) -> None:
    assert bool(list(unpickling(ast.parse(source)))) == unpickles


def test_nothing_is_unpickled() -> None:
    sources = {path: path.read_text("utf-8") for path in (ROOT / "cite_lsp").rglob("*.py")}
    by_file = {path.name: list(unpickling(ast.parse(text))) for path, text in sources.items()}
    assert {name: places for name, places in by_file.items() if places} == {}


def unpickling(tree: ast.AST) -> Iterator[int]:
    """The lines that may run a program out of a file of data."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                modules = {alias.name.partition(".")[0] for alias in names}
                if modules & UNPICKLING:
                    yield node.lineno
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in UNPICKLING:
                yield node.lineno
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="load")):
                yield node.lineno
            case ast.keyword(arg="allow_pickle", value=ast.Constant(value=value)) if value:
                yield node.lineno
