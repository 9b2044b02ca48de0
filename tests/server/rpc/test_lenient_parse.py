"""A request is read without what the protocol does not know, and not without what it needs."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from cattrs import BaseValidationError
from lsprotocol import types
from pygls.protocol import default_converter

from cite_lsp.server.rpc.lenient_parse import read_leniently


def read(params: dict[str, Any]) -> types.CodeActionParams:
    converter = default_converter()  # type: ignore[no-untyped-call]
    message = {"jsonrpc": "2.0", "id": 1, "method": "textDocument/codeAction", "params": params}
    request: types.CodeActionRequest = read_leniently(
        message, lambda it: converter.structure(it, types.CodeActionRequest)
    )
    return request.params


def params(*diagnostics: dict[str, Any], **context: Any) -> dict[str, Any]:  # noqa: ANN401
    start, end = {"line": 0, "character": 1}, {"line": 0, "character": 2}
    return {
        "textDocument": {"uri": "file:///a.tex"},
        "range": {"start": start, "end": end},
        "context": {"diagnostics": list(diagnostics), **context},
    }


def diagnostic(message: str, **fields: object) -> dict[str, Any]:
    return {"range": params()["range"], "message": message, **fields}


def test_what_can_be_read_is_read_as_it_is() -> None:
    context = read(params(diagnostic("one", severity=1), triggerKind=2)).context
    assert [(item.message, item.severity) for item in context.diagnostics] == [("one", 1)]
    assert context.trigger_kind == types.CodeActionTriggerKind.Automatic


def test_a_field_of_a_kind_that_is_not_known_counts_as_not_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    context = read(params(diagnostic("one"), diagnostic("two", severity=9))).context
    assert [(item.message, item.severity) for item in context.diagnostics] == [
        ("one", None),
        ("two", None),
    ]
    (line,) = caplog.messages
    assert line == ("textDocument/codeAction: params.context.diagnostics.1.severity is left out")


def test_all_such_fields_are_left_out() -> None:
    context = read(params(diagnostic("one", severity=9, tags=[7]), triggerKind=99)).context
    (item,) = context.diagnostics
    assert (item.message, item.severity, context.trigger_kind) == ("one", None, None)


def test_what_is_of_no_use_without_a_missing_part_is_left_out_with_it() -> None:
    context = read(params({"message": "no range"}, diagnostic("two"))).context
    assert [item.message for item in context.diagnostics] == ["two"]


def test_a_message_without_its_params_means_nothing() -> None:
    with pytest.raises(BaseValidationError):
        read({})
