"""The rooms keep their order, and nothing loads torch before it is needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "cite_lsp"
HEAVY = {"torch", "transformers", "sentence_transformers"}
ROOMS_WITH_TORCH = {"encode", "train", "translate"}
PROTOCOL = {"lsprotocol", "pygls"}
ROOMS_WITH_PROTOCOL = {"server", "cli"}


def imported_names(source: str) -> Iterator[str]:
    """Yield the top-level name of every absolute import, wherever in the module it stands."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (name.name.partition(".")[0] for name in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]
            case ast.Call(
                func=ast.Name(id="__import__")
                | ast.Attribute(attr="import_module")
                | ast.Attribute(attr="importorskip"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                yield module.partition(".")[0]


@cache
def import_graph() -> grimp.ImportGraph:
    """Return what each module imports, inside functions and for types alone as well."""
    return grimp.build_graph("cite_lsp", cache_dir=None)


def test_a_room_imports_only_from_rooms_above_it() -> None:
    # In a process of its own: it sets up logging anew and would silence every logger of this one.
    lint = "import sys; from importlinter import cli; sys.exit(cli.lint_imports(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", lint], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_imports_itself_in_a_circle() -> None:
    graph = import_graph()
    order = TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    )
    try:
        order.prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize(
    "room",
    ["cli", "corpus", "evaluate", "library", "project", "recommend", "search", "server", "train"],
)
def test_the_folders_of_a_room_import_each_other_in_no_circle(room: str) -> None:
    graph = import_graph()
    folders = {
        f"cite_lsp.{room}.{path.name}": path for path in (PACKAGE / room).iterdir() if path.is_dir()
    }

    def folder_of(module: str) -> str:
        return ".".join(module.split(".")[:3])

    imports: dict[str, set[str]] = {}
    for module in graph.modules:
        if folder_of(module) in folders:
            others = map(folder_of, graph.find_modules_directly_imported_by(module))
            imports.setdefault(folder_of(module), set()).update(
                other for other in others if other in folders and other != folder_of(module)
            )
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def imported_outside(rooms: set[str], packages: set[str]) -> dict[str, set[str]]:
    """Return which files outside of some rooms import which of some packages."""
    return {
        str(path.relative_to(ROOT)): names
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in rooms
        and any(package in (source := path.read_text(encoding="utf-8")) for package in packages)
        and (names := packages.intersection(imported_names(source)))
    }


def test_only_rooms_that_run_models_import_torch_and_its_kin() -> None:
    assert imported_outside(ROOMS_WITH_TORCH, HEAVY) == {}


def test_only_the_server_and_the_command_line_know_the_protocol() -> None:
    assert imported_outside(ROOMS_WITH_PROTOCOL, PROTOCOL) == {}
    assert imported_outside({"cli"}, PROTOCOL) != {}


def imports_onnxruntime(source: str) -> bool:
    """Whether a module imports onnxruntime, or holds a program for another process that does."""
    if "onnxruntime" not in source:
        return False  # most files: nothing to parse
    programs = (
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return "onnxruntime" in imported_names(source) or any(
        re.search(r"\b(?:import|from) +onnxruntime\b", program) for program in programs
    )


def test_onnxruntime_is_imported_in_one_place() -> None:
    importers = {
        str(path.relative_to(ROOT))
        for folder in ("cite_lsp", "tests", "benchmarks", "examples")
        for path in (ROOT / folder).rglob("*.py")
        if path != Path(__file__) and imports_onnxruntime(path.read_text(encoding="utf-8"))
    }
    assert importers == {"cite_lsp/encode/kinds/onnx_session.py"}


@pytest.mark.parametrize(
    "source",
    [
        "import onnxruntime as ort",
        "def late():\n    from onnxruntime.quantization import QuantType",
        "onnxruntime = pytest.importorskip('onnxruntime')",
        "run([sys.executable, '-c', 'import sys; import onnxruntime'])",
    ],
)
def test_an_import_of_onnxruntime_is_seen(source: str) -> None:
    assert imports_onnxruntime(source)


@pytest.mark.parametrize(
    "source",
    [
        "import torch.nn",
        "from transformers import AutoModel",
        "def late():\n    import sentence_transformers as st",
        "import importlib\nimportlib.import_module('torch.onnx')",
        "if True:\n    __import__('torch')",
    ],
)
def test_an_import_is_seen_wherever_it_hides(source: str) -> None:
    assert HEAVY.intersection(imported_names(source))


def has_hidden_import(source: str) -> bool:
    """Whether a module imports one whose name is not written there: `import_module(name)`."""
    if "import_module" not in source and "__import__" not in source:
        return False  # most files: nothing to parse
    return any(
        not isinstance(call.args[0], ast.Constant)
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call)
        and (
            getattr(call.func, "attr", getattr(call.func, "id", ""))
            in ("import_module", "__import__")
        )
    )


def test_no_import_is_hidden_from_these_tests() -> None:
    importers = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if has_hidden_import(path.read_text(encoding="utf-8"))
    }
    # The command line imports its own commands; training looks for packages that may be missing.
    assert importers == {"cli/__init__.py", "train/run/report.py"}


@pytest.mark.parametrize(
    "source",
    [
        "from importlib import import_module\nimport_module(f'cite_lsp.manuscript.{name}')",
        "import importlib\nimportlib.import_module(name)",
        "__import__('cite_lsp.' + name)",
    ],
)
def test_a_hidden_import_is_seen(source: str) -> None:
    assert has_hidden_import(source)


REASON = "# Imported where "


def unexplained_import(source: str) -> int | None:
    """Return the line of the first import inside a function, None where a comment says why.

    One comment above the first serves all of a module.
    """
    lines = [
        node.lineno
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    first = min(lines, default=None)
    if first is None or source.splitlines()[first - 2].strip().startswith(REASON):
        return None
    return first


def test_an_import_inside_a_function_has_a_reason() -> None:
    assert not [
        f"{path.relative_to(ROOT)}:{line}: import it above, or say why not: {REASON}…"
        for path in sorted(PACKAGE.rglob("*.py"))
        if (line := unexplained_import(path.read_text(encoding="utf-8"))) is not None
    ]


def test_an_import_without_a_reason_is_seen() -> None:
    source = "import ast\n\ndef late():\n    {}\n    import csv\n\ndef later():\n    import json"
    assert (
        unexplained_import(source.format("# Imported where needed: few files are tables.")) is None
    )
    assert unexplained_import(source.format("# as it is")) == 5
    assert unexplained_import("import ast") is None


@pytest.mark.parametrize(
    "module",
    [
        "cite_lsp.server.session.server",
        "cite_lsp.cli",
        "cite_lsp.encode",
        "cite_lsp.translate.cached_translator",
    ],
)
def test_importing_loads_neither_torch_nor_its_kin(module: str) -> None:
    program = f"import sys, {module}; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert HEAVY.isdisjoint(done.stdout.split())
