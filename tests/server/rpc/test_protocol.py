"""Nothing is left behind of messages that are done with, nor of an answer that nobody waits for."""

from __future__ import annotations

import asyncio
import json

import pytest
from lsprotocol import types

from cite_lsp.server.app import create_server
from tests.server.rpc.test_stdio import HELLO, framed
from tests.server.wire import Wire


async def test_nothing_is_stored_of_notifications_and_requests() -> None:
    protocol = create_server().protocol

    def hear(message: bytes) -> None:
        body = message.partition(b"\r\n\r\n")[2]
        protocol.handle_message(json.loads(body, object_hook=protocol.structure_message))

    protocol.set_writer(Wire())
    hear(HELLO)
    there, start = {"uri": "file:///a.md", "version": 2}, {"line": 0, "character": 0}
    for number in range(2, 12):
        hear(framed("textDocument/didChange", None, {"textDocument": there, "contentChanges": []}))
        hear(framed("textDocument/hover", number, {"textDocument": there, "position": start}))
        hear(framed("workspace/didChangeWatchedFiles", None, {"changes": []}))
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
