"""docs/architecture.md is true of the code: what it names is there, and what is there it names."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "cite_lsp"
PAGE = ROOT / "docs" / "architecture.md"
if not PAGE.exists() or not (ROOT / "editors").exists():
    pytest.skip("the documentation is not part of this copy", allow_module_level=True)

TEXT = PAGE.read_text(encoding="utf-8")
SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?:[\w.-]+/)+(?:[\w.-]+\.\w+)?|[\w-]+\.(?:py|md|toml|json)")
NAMED_IN = re.compile(r"`([\w./-]+\.py)`,? +\((`\w+`(?:, `\w+`)*)\)")
TESTS_OF_THEIR_OWN = {"chaos", "e2e", "editors"}


def section(heading: str) -> str:
    """The text below a heading of the second level, up to the next one."""
    return TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def located(name: str) -> Path | None:
    """The file or folder that the page means by a path, None where there is none."""
    places = [folder / name for folder in (PACKAGE, ROOT)]
    return next((place for place in places if place.is_dir() or place.is_file()), None)


@cache
def defined(path: Path) -> frozenset[str]:
    """What a module defines: functions, classes, methods and variables."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
    return frozenset(names)


def named_in() -> Iterator[tuple[str, str]]:
    """Every file with a name that the page says is in it, as in "`a.py` (`b`, `c`)"."""
    for file, names in NAMED_IN.findall(" ".join(TEXT.split())):
        yield from ((file, name) for name in SPAN.findall(names))


def rooms() -> dict[str, set[str]]:
    """The rooms in the order of the page, each with the rooms that it imports from, or "any"."""
    rows = re.findall(r"^\| `([\w/.]+)` \|.*\|([^|\n]*)\|$", section("The rooms"), re.MULTILINE)
    return {
        name.rstrip("/").removesuffix(".py"): set(re.findall(r"\w+", imported))
        for name, imported in rows
        if name.count("/") == name.endswith("/")
    }


def layers() -> list[set[str]]:
    """The layers of rooms that import-linter checks, the lowest first; the entry point left out."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    (order,) = (contract["layers"] for contract in contracts if contract["id"] == "rooms")
    layers = [set(re.findall(r"\w+", layer)) - {"__main__"} for layer in reversed(order)]
    return [layer for layer in layers if layer]


def test_every_file_and_folder_on_the_page_is_there() -> None:
    paths = {span for span in SPAN.findall(TEXT) if PATH.fullmatch(span)}
    assert len(paths) > 100
    assert {path for path in paths if located(path) is None} == set()


def test_every_name_on_the_page_is_in_the_file_beside_it() -> None:
    named = set(named_in())
    assert len(named) > 80
    gone = {
        (file, name)
        for file, name in named
        if (path := located(file)) is None or name not in defined(path)
    }
    assert gone == set()


def test_every_test_on_the_page_is_named_with_its_file() -> None:
    tests = {span for span in SPAN.findall(TEXT) if re.fullmatch(r"test_\w+", span)}
    assert len(tests) > 20
    assert tests - {name for file, name in named_in() if file.startswith("tests/")} == set()


def test_every_invariant_has_a_test() -> None:
    rows = re.findall(r"^\| .*\|$", section("What stays true"), re.MULTILINE)[2:]
    assert len(rows) > 10
    assert [row for row in rows if not re.search(r"\(`test_\w+`", row)] == []


def test_every_package_is_described() -> None:
    described = set(SPAN.findall(section("The rooms")))
    packages = {path.parent.relative_to(PACKAGE) for path in PACKAGE.glob("*/**/__init__.py")}
    assert {f"{path.as_posix()}/" for path in packages} - described == set()


def test_the_rooms_stand_in_the_order_of_their_layers() -> None:
    number = {room: place for place, layer in enumerate(layers()) for room in layer}
    described = list(rooms())
    assert set(described) == set(number)
    places = [number[room] for room in described]
    assert places == sorted(places)


def test_every_room_imports_from_the_rooms_above_it_that_the_page_says() -> None:
    graph = grimp.build_graph("cite_lsp", cache_dir=None)
    imported: dict[str, set[str]] = {room: set() for room in rooms()}
    for module in graph.modules:
        room = module.split(".")[1:2]
        if room and room[0] in imported:
            targets = graph.find_modules_directly_imported_by(module)
            imported[room[0]] |= {
                module.split(".")[1] for module in targets if "." in module
            } - set(room)
    described = {room: names for room, names in rooms().items() if names != {"any"}}
    assert len(described) > 15
    undescribed = {room: imported[room] - names for room, names in described.items()}
    assert {room: names for room, names in undescribed.items() if names} == {}
    unused = {room: names - imported[room] for room, names in described.items()}
    assert {room: names for room, names in unused.items() if names} == {}


def test_every_folder_of_tests_is_one_of_the_package() -> None:
    tests = ROOT / "tests"
    folders = {
        path.parent.relative_to(tests)
        for path in tests.glob("*/**/test_*.py")
        if path.relative_to(tests).parts[0] not in TESTS_OF_THEIR_OWN
    }
    assert {folder.as_posix() for folder in folders if not (PACKAGE / folder).is_dir()} == set()


@pytest.mark.parametrize(
    "package",
    sorted(path.parent.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("__init__.py")),
)
def test_every_package_says_in_a_line_what_it_is_for(package: str) -> None:
    source = (ROOT / package / "__init__.py").read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source)) or ""
    assert re.fullmatch(r"\S[^\n]+[\w`]\.", docstring), docstring


def test_what_is_not_there_is_noticed() -> None:
    assert located("server/features/no_such_method.py") is None
    assert located("no_such_room/") is None
    page = located("docs/architecture.md")
    assert page == PAGE
    path = located("recommend/engine.py")
    assert path is not None
    assert "DraftRecommender" in defined(path) and "no_such_name" not in defined(path)
