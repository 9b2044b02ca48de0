"""Every request is answered, and nothing is left behind of messages that are done with."""

from __future__ import annotations

import asyncio
import json

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from cite_lsp.server.app import create_server
from cite_lsp.server.rpc.protocol import CiteProtocol
from tests.server.rpc.test_stdio import HELLO, framed
from tests.server.wire import Wire


def hear(protocol: CiteProtocol, message: bytes) -> None:
    body = message.partition(b"\r\n\r\n")[2]
    protocol.handle_message(json.loads(body, object_hook=protocol.structure_message))


async def test_a_request_that_cannot_be_answered_is_an_error_that_says_why() -> None:
    protocol, wire = create_server().protocol, Wire()
    protocol.set_writer(wire)
    query = {"query": ""}
    for message in (
        framed("workspace/symbol", 10, query),
        HELLO,
        framed("unheard/of", 11, query),
        framed("shutdown", 12),
        framed("workspace/symbol", 13, query),
    ):
        hear(protocol, message)
        for _ in range(20):
            await asyncio.sleep(0)
    with pytest.raises(JsonRpcInvalidParams):
        hear(protocol, framed("workspace/symbol", 14, {}))
    errors = {answer["id"]: answer["error"]["code"] for answer in wire.sent if "error" in answer}
    assert errors == {10: -32002, 11: -32601, 13: -32600, 14: -32602}


async def test_a_client_that_is_gone_is_sent_nothing_more() -> None:
    protocol, wire = create_server().protocol, Wire()
    protocol.set_writer(wire)
    hear(protocol, HELLO)
    protocol.disconnect()
    before = len(wire.sent)
    hear(protocol, framed("unheard/of", 2, {}))
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(wire.sent) == before


async def test_nothing_is_stored_of_notifications_and_requests() -> None:
    protocol = create_server().protocol
    protocol.set_writer(Wire())
    hear(protocol, HELLO)
    there, start = {"uri": "file:///a.md", "version": 2}, {"line": 0, "character": 0}
    for number in range(2, 12):
        hear(
            protocol,
            framed("textDocument/didChange", None, {"textDocument": there, "contentChanges": []}),
        )
        hear(
            protocol,
            framed("textDocument/hover", number, {"textDocument": there, "position": start}),
        )
        hear(protocol, framed("workspace/didChangeWatchedFiles", None, {"changes": []}))
        await asyncio.sleep(0)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not protocol._requests and not protocol._notifications


@pytest.mark.parametrize("outcome", [{"result": None}, {"error": {"code": -1, "message": "no"}}])
async def test_an_answer_that_is_not_waited_for_any_more_is_no_error(
    outcome: dict[str, object],
) -> None:
    protocol, wire = create_server().protocol, Wire()
    protocol.set_writer(wire)
    token = types.WorkDoneProgressCreateParams("citations")
    pending = asyncio.ensure_future(
        protocol.send_request_async(types.WINDOW_WORK_DONE_PROGRESS_CREATE, token)
    )
    await asyncio.sleep(0)
    pending.cancel()
    await asyncio.sleep(0)
    answer = json.dumps({"jsonrpc": "2.0", "id": wire.sent[0]["id"], **outcome})
    protocol.handle_message(json.loads(answer, object_hook=protocol.structure_message))
    assert not protocol._server_requests
