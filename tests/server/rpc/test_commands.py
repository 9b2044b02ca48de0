"""The arguments of commands are what they must be, or are refused."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from cite_lsp.server.rpc.commands import place_arguments, range_arguments

URI = "file:///a.tex"
START, END = {"line": 1, "character": 2}, {"line": 3, "character": 0}


def test_a_place_comes_with_a_third_argument_or_its_default() -> None:
    position = types.Position(1, 2)
    assert place_arguments((URI, START), 5, int) == (URI, position, 5)
    assert place_arguments((URI, START, 7), 5, int) == (URI, position, 7)
    assert place_arguments((URI, START, None), 5, int | None) == (URI, position, None)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (URI,),
        (1, START),
        (URI, {"line": 1}),
        (URI, {"line": -1, "character": 0}),
        (URI, {"line": True, "character": 0}),
        (URI, {"line": 2**31, "character": 0}),
        (URI, START, "seven"),
        (URI, START, 7, 8),
    ],
)
def test_what_is_no_place_is_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(JsonRpcInvalidParams, match="expected the arguments"):
        place_arguments(arguments, 5, int)


def test_a_range_may_be_left_out() -> None:
    assert range_arguments((URI,)) == range_arguments((URI, None)) == (URI, None)
    place = types.Range(types.Position(1, 2), types.Position(3, 0))
    assert range_arguments((URI, {"start": START, "end": END})) == (URI, place)
    empty = types.Range(types.Position(1, 2), types.Position(1, 2))
    assert range_arguments((URI, {"start": START, "end": START})) == (URI, empty)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (None,),
        (URI, {"start": START}),
        (URI, {"start": END, "end": START}),
        (URI, {"start": START, "end": {"line": 1, "character": -1}}),
        (URI, START),
        (URI, None, None),
    ],
)
def test_what_is_no_range_is_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(JsonRpcInvalidParams, match="expected the arguments"):
        range_arguments(arguments)
