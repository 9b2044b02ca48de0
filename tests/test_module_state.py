"""Importing a module makes no threads, and no memory that threads share without a lock."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import cite_lsp

ROOT = Path(cite_lsp.__file__).parent
THREADS = {"ThreadPoolExecutor", "ProcessPoolExecutor", "Thread", "Timer"}
UNLOCKED = {"dict", "set", "list", "defaultdict", "OrderedDict", "Counter", "WeakKeyDictionary"}


@cache
def module_values() -> list[tuple[str, ast.expr]]:
    """Return what stands at the top level of modules behind a name, and where."""
    return [
        (f"{path.relative_to(ROOT)}:{node.lineno}", node.value)
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
    ]


def called(value: ast.expr) -> str:
    """Return the name of what a value calls, "" where it is no call."""
    function = value.func if isinstance(value, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def test_no_module_makes_threads_when_it_is_imported() -> None:
    assert [place for place, value in module_values() if called(value) in THREADS] == []


def test_no_module_has_a_memory_that_nothing_locks() -> None:
    """One that begins empty is to be filled; tables that are written out are constants."""
    assert [
        place
        for place, value in module_values()
        if (isinstance(value, ast.Call) and called(value) in UNLOCKED and not value.args)
        or (isinstance(value, ast.Dict) and not value.keys)
        or (isinstance(value, ast.List) and not value.elts)
    ] == []
