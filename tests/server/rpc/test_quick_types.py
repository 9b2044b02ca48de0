"""The types of the protocol that a server builds are those of lsprotocol, in all that is seen."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from typing import Any

import attrs
import pytest
from lsprotocol import types

from cite_lsp.server.rpc import quick_types

EXAMPLES = """
PLACE = types.Range(types.Position(0, 1), types.Position(2, 3))
EXAMPLES = [
    PLACE,
    types.Location("file:///a.tex", PLACE),
    types.CompletionItem("a", kind=types.CompletionItemKind.Reference, tags=[]),
    types.CompletionList(False, [types.CompletionItem("a", documentation="b")]),
    types.Diagnostic(PLACE, "unknown", severity=types.DiagnosticSeverity.Error),
    types.Diagnostic(PLACE, "unknown"),
    types.InitializeParams(types.ClientCapabilities()),
    types.ShutdownRequest(1),
]
"""
SEEN = """
import attrs, inspect
def seen(types):
    classes = [kind for kind in vars(types).values() if isinstance(kind, type) and attrs.has(kind)]
    return {
        "fields": {
            kind.__name__: [f"{field.name}: {field.type}" for field in attrs.fields(kind)]
            for kind in classes
        },
        "made": {
            kind.__name__: [
                f"{name} {field.kind} {field.default}"
                for name, field in inspect.signature(kind).parameters.items()
            ]
            for kind in classes
        },
        "hashed": {kind.__name__: kind.__hash__ is not None for kind in classes},
        "written": [repr(value) for value in EXAMPLES],
        "equal": [[one == other for one in EXAMPLES] for other in EXAMPLES],
        "unequal": [[one != other for one in EXAMPLES] for other in EXAMPLES],
        "other": [value == 1 for value in EXAMPLES],
        "copies": [attrs.evolve(value) == value for value in EXAMPLES],
    }
"""
QUICK = f"""
import json, attrs
from cite_lsp.server.rpc import quick_types
define = attrs.define
quick_types.load()
assert attrs.define is define
from lsprotocol import types
everything = dict(types.ALL_TYPES_MAP)
converter = quick_types.converter()
assert types.ALL_TYPES_MAP == everything
classes = [kind for kind in everything.values() if isinstance(kind, type)]
built = [kind for kind in classes if "__match_args__" in vars(kind)]
assert len(built) < 10, built
read = converter.structure(dict(line=2, character=3), types.Position)
assert read == types.Position(2, 3) and converter.unstructure(read)["line"] == 2
built = [kind for kind in classes if "__match_args__" in vars(kind)]
assert types.Position in built and types.Hover not in built
assert types.Hover.__eq__ is types.Command.__eq__
assert types.Hover.__repr__ is types.Command.__repr__
{EXAMPLES}
{SEEN}
print(json.dumps(seen(types)))
"""


def plain() -> dict[str, Any]:
    names: dict[str, Any] = {"types": types}
    exec(EXAMPLES + SEEN, names)  # the same as runs in the other process
    quick_types.converter()  # resolves the names in the fields of types that are plain
    seen: dict[str, Any] = names["seen"](types)
    return seen


def test_quick_types_have_the_fields_and_the_equality_of_plain_ones() -> None:
    done = subprocess.run([sys.executable, "-c", QUICK], capture_output=True, text=True, check=True)
    quick = json.loads(done.stdout)
    assert quick == plain()
    assert len(quick["fields"]) > 500 and all(quick["copies"])


def test_types_that_are_there_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    before = types.Hover
    monkeypatch.setattr(attrs, "define", None)
    quick_types.load()
    assert types.Hover is before and attrs.define is None


def test_a_class_that_has_its_methods_keeps_them() -> None:
    """What `load` leans on: attrs writes no method that the class itself has, unless told to."""
    assert inspect.signature(attrs.define).parameters["auto_detect"].default is True


def test_a_class_without_slots_stays_the_same_class() -> None:
    class Place:
        line: int = attrs.field(default=1)

        def __init__(self) -> None:
            raise AssertionError("attrs writes another one")

    assert attrs.define(Place, slots=False, init=True) is Place
    assert vars(Place(2)) == {"line": 2}  # type: ignore[call-arg]
