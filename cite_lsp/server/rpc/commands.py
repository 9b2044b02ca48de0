"""The commands: their names, and their arguments, checked before anything is done with them."""

from __future__ import annotations

from types import UnionType
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

ADD_COMMAND = "citeLsp.addEntry"
CITED_BY_COMMAND = "citeLsp.citedBy"
CITING_COMMAND = "citeLsp.citing"
DISMISS_COMMAND = "citeLsp.dismiss"
INDEX_COMMAND = "citeLsp.index"
INSERT_COMMAND = "citeLsp.insert"
MISSING_COMMAND = "citeLsp.missing"
RECOMMEND_COMMAND = "citeLsp.recommend"
REFERENCES_COMMAND = "citeLsp.references"
RESTORE_COMMAND = "citeLsp.restore"
SHOW_COMMAND = "citeLsp.showReferences"

_MOST = 2**31 - 1


def place_arguments(
    arguments: tuple[object, ...], default: object, kind: type | UnionType
) -> tuple[str, types.Position, Any]:
    """Return the URI, the position and the third argument of a command.

    Raises:
        JsonRpcInvalidParams: they are not that; the message says what is expected.
    """
    match arguments:
        case (str() as uri, {"line": int() as line, "character": int() as character}, *rest):
            third = rest[0] if rest else default
            is_position = _is_place(line) and _is_place(character)
            if is_position and len(rest) <= 1 and isinstance(third, kind):
                return uri, types.Position(line, character), third
    raise JsonRpcInvalidParams("expected the arguments [uri, {line, character}, …]")


def range_arguments(arguments: tuple[object, ...]) -> tuple[str, types.Range | None]:
    """Return the URI and the range of a command that may name one.

    Raises:
        JsonRpcInvalidParams: they are not that; the message says what is expected.
    """
    match arguments:
        case (str() as uri,) | (str() as uri, None):
            return uri, None
        case (str() as uri, {"start": start, "end": end}):
            _, first, _ = place_arguments((uri, start), None, object)
            _, last, _ = place_arguments((uri, end), None, object)
            if (first.line, first.character) <= (last.line, last.character):
                return uri, types.Range(first, last)
    raise JsonRpcInvalidParams("expected the arguments [uri, {start, end}?]")


def _is_place(number: int) -> bool:
    return not isinstance(number, bool) and 0 <= number <= _MOST
