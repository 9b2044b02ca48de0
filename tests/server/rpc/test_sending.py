"""Answers are written piece by piece, and one that cannot be written is an error."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types
from pygls.protocol import default_converter

from cite_lsp.server.rpc.sending import Sender
from tests.server.wire import Wire


def sender_to(wire: Wire | None) -> Sender:
    converter = default_converter()  # type: ignore[no-untyped-call]
    return Sender(converter, lambda: wire, lambda error, _: pytest.fail(str(error)))


@pytest.mark.parametrize("rows", [1, 1000])
async def test_an_answer_that_cannot_be_written_is_an_error(rows: int) -> None:
    wire = Wire()
    sender_to(wire).send_result(1, [object()] * rows)
    for _ in range(20):
        await asyncio.sleep(0)
    (answer,) = wire.sent
    assert (answer["id"], answer["error"]["code"]) == (1, -32603)


async def test_a_long_answer_is_written_in_pieces_between_which_others_are_sent() -> None:
    place = types.Range(types.Position(0, 1), types.Position(0, 9))
    rows = [
        types.DocumentSymbol(f"深{row}", types.SymbolKind.Class, place, place, detail="Terns")
        for row in range(1000)
    ]
    wire = Wire()
    sender = sender_to(wire)
    sender.send_result(1, rows)
    await asyncio.sleep(0)
    sender.send_result("short", rows[:2])
    while len(wire.sent) < 2:
        await asyncio.sleep(0)
    short, long = wire.sent
    assert (short["id"], long["id"], len(long["result"])) == ("short", 1, 1000)
    assert long["result"][:2] == short["result"] and long.keys() == short.keys()
    assert long["result"][999]["name"] == "深999"


def test_after_the_client_has_left_nothing_is_sent() -> None:
    wire = Wire()
    sender = sender_to(wire)
    sender.send_result(1, "before")
    sender.silence()
    sender.send_result(2, "after")
    assert [message["id"] for message in wire.sent] == [1]


def test_a_message_without_a_client_is_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    sender_to(None).send_result(1, "any")
    assert caplog.messages == ["nothing can be sent: no client is connected"]
