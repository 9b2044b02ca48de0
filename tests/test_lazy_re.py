"""Patterns of modules are compiled when they are first used, and behave as compiled ones do."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import cast

import cite_lsp
from cite_lsp.lazy_re import lazy_re

ROOT = Path(cite_lsp.__file__).parent
COUNTED = """
import re
compiled, compile = [], re.compile
re.compile = lambda pattern, flags=0: compiled.append(pattern) or compile(pattern, flags)
from cite_lsp.lazy_re import lazy_re
letters = lazy_re("[a-z]+", re.IGNORECASE)
print(len(compiled), letters.findall("Ab1c"), letters.sub("", "Ab1c"), len(compiled))
"""


def executed_at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below a node that run when the module is imported."""
    for child in ast.iter_child_nodes(node):
        yield child
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for part in (*child.decorator_list, *child.args.defaults, *child.args.kw_defaults):
                if part is not None:
                    yield from executed_at_import(part)
        elif not isinstance(child, ast.Lambda):
            yield from executed_at_import(child)


def patterns(value: object) -> Iterator[re.Pattern[str]]:
    """Yield the patterns that a value of a module is or holds."""
    if isinstance(value, dict):
        yield from patterns(tuple(value.values()))
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from patterns(part)
    elif hasattr(type(value), "fullmatch"):
        yield cast("re.Pattern[str]", value)


def modules() -> Iterator[ModuleType]:
    """Yield every module of the package but those of extras that are not installed."""
    for module in pkgutil.walk_packages([str(ROOT)], "cite_lsp."):
        try:
            yield importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if "cite_lsp" in str(error.name):
                raise


def test_a_pattern_is_compiled_once_and_when_it_is_first_used() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNTED], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0 ['Ab', 'c'] 1 1"


def test_a_lazy_pattern_does_what_a_compiled_one_does() -> None:
    text, written = "one, two; (three)", r"(?P<word>\w+)(\W*)"
    lazy, compiled = lazy_re(written, re.ASCII), re.compile(written, re.ASCII)
    assert (lazy.pattern, lazy.flags) == (compiled.pattern, compiled.flags)
    assert (lazy.groups, lazy.groupindex) == (compiled.groups, compiled.groupindex)
    for method in ("search", "match", "fullmatch"):
        first, second = (getattr(each, method)(text, 5) for each in (lazy, compiled))
        assert (first and first.span()) == (second and second.span())
    assert [match.span() for match in lazy.finditer(text)] == [
        match.span() for match in compiled.finditer(text)
    ]
    assert lazy.findall(text) == compiled.findall(text)
    assert lazy.split(text) == compiled.split(text)
    assert lazy.sub(r"\2", text, 1) == compiled.sub(r"\2", text, 1)
    assert lazy.subn(r"\2", text) == compiled.subn(r"\2", text)
    assert lazy_re(rb"\d+").findall(b"1 and 22") == [b"1", b"22"]


def test_no_module_compiles_a_pattern_when_it_is_imported() -> None:
    assert [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted(ROOT.rglob("*.py"))
        for node in executed_at_import(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
    ] == []


def test_every_pattern_of_a_module_can_be_compiled() -> None:
    """A mistake in one would show only where it is first used."""
    found_patterns = [
        pattern for module in modules() for pattern in patterns(tuple(vars(module).values()))
    ]
    assert len(found_patterns) > 800
    assert {isinstance(pattern.groups, int) for pattern in found_patterns} == {True}
