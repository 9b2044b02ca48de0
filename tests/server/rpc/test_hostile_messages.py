"""Messages that no editor should send: each request is answered, and none costs another."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import warm_server
from tests.chaos.limited import Client

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")

BEGUN, NOT_BEGUN = -32600, -32002
INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, NO_JSON = -32600, -32601, -32602, -32700

OF_ANY_KIND: tuple[object, ...] = (
    *(None, [], 7, "text", {}),
    *({"textDocument": None}, {"textDocument": 7}),
)
BAD_PARAMS: tuple[object, ...] = (None, {"id": [1]}, {"token": [1]}, {"id": None}, [[]])


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    client = Client(tmp_path, tmp_path / "home", server=warm_server.serve())
    yield client
    client.kill()


def code(answer: dict[str, Any]) -> int | None:
    error = answer.get("error")
    return error["code"] if error else None


def ended_quietly(client: Client) -> None:
    log = client.finish()
    assert not client.popups
    assert all(len(line) < 300 for line in log.splitlines())


def test_the_first_request_is_initialize_and_the_only_one(client: Client) -> None:
    place = {"textDocument": {"uri": "file:///a.tex"}, "position": {"line": 0, "character": 0}}
    assert code(client.request("textDocument/hover", place)) == NOT_BEGUN
    assert code(client.request("workspace/executeCommand", {"command": "x"})) == NOT_BEGUN
    client.start()
    assert code(client.request("initialize", {"processId": None, "capabilities": {}})) == BEGUN
    ended_quietly(client)


def test_params_of_any_kind_are_answered(client: Client) -> None:
    client.start()
    uri = client.open(client.folder / "a.tex", "\\cite{}\n")
    document = {"textDocument": {"uri": uri}}
    start, end = {"line": 0, "character": 5}, {"line": 0, "character": 1}
    nested = {"method": "textDocument/hover", "id": 7, "params": {"method": "x"}}
    client.request("workspace/executeCommand", {"command": "no", "arguments": [nested]})
    client.request("textDocument/hover", document | {"position": start, "method": "x"})
    client.request("nothing/known", nested)
    for params in OF_ANY_KIND:
        answer = client.request("textDocument/hover", params)
        assert code(answer) == INVALID_PARAMS
    reversed_range = {"range": {"start": start, "end": end}, "context": {"diagnostics": []}}
    client.request("textDocument/codeAction", document | reversed_range)
    for line in (-1, 2**40, 1.5, True, None):
        client.request(
            "textDocument/hover", document | {"position": {"line": line, "character": 0}}
        )
        arguments = [uri, {"line": line, "character": 0}]
        for command in ("citeLsp.suggest", "citeLsp.addEntry", "citeLsp.missingCitations"):
            params = {"command": command, "arguments": arguments}
            assert code(client.request("workspace/executeCommand", params)) != -32603
    ended_quietly(client)


def test_methods_and_ids_that_do_not_fit_are_answered(client: Client) -> None:
    client.start()
    opened = {"textDocument": {"uri": "file:///a.tex", "languageId": "", "version": 1, "text": ""}}
    assert code(client.request("textDocument/didOpen", opened)) == NO_METHOD
    assert code(client.request("$/cancelRequest", {"id": 1})) == NO_METHOD
    for identifier in ([1], {"a": 1}, 1.5):
        client.send({"id": identifier, "method": "shutdown"})
        assert code(client.answer(None, "an id that is none")) == INVALID_REQUEST
    client.send({"id": 900, "method": 7})
    assert code(client.answer(None, "a method that is none")) == INVALID_REQUEST
    for method in (
        "textDocument/hover",
        "$/cancelRequest",
        "window/workDoneProgress/cancel",
        "exi",
    ):
        for params in BAD_PARAMS:
            client.notify(method, params)
    ended_quietly(client)


@pytest.mark.parametrize("body", [b"[]", b"[1, 2]", b"{", b"\xff", b"7", b"{}", b"[" * 100_000])
def test_a_body_that_is_no_message_costs_no_other(client: Client, body: bytes) -> None:
    client.start()
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert code(client.answer(None, "a body that is no message")) in (INVALID_REQUEST, NO_JSON)
    assert code(client.request("nothing/known")) == NO_METHOD
    ended_quietly(client)


@pytest.mark.parametrize(
    "header",
    [b"content-length:%d\r\n", b"CONTENT-LENGTH : %d \r\n", b"Content-Length: %d\r\nX: y\r\n"],
)
def test_headers_may_be_written_as_http_allows(client: Client, header: bytes) -> None:
    client.start()
    body = b'{"jsonrpc": "2.0", "id": "own", "method": "nothing/known"}'
    client.send_bytes(header % len(body) + b"\r\n" + body)
    assert code(client.answer("own", "a header in lower case")) == NO_METHOD
    ended_quietly(client)


@pytest.mark.parametrize("length", [b"9" * 5000, b"-5", b"0", b"many", b""])
def test_a_length_that_is_none_costs_no_other_message(client: Client, length: bytes) -> None:
    client.start()
    client.send_bytes(b"Content-Length: " + length + b'\r\n\r\n{"jsonrpc": "2.0"}')
    assert code(client.request("nothing/known")) == NO_METHOD
    ended_quietly(client)


def test_the_server_ends_with_the_process_that_it_works_for(client: Client) -> None:
    with subprocess.Popen(["sleep", "1000"]) as editor:
        client.start(processId=editor.pid)
        editor.kill()
    end = time.monotonic() + 25
    while client.process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_process_of_another_machine_ends_nothing(client: Client) -> None:
    client.start(processId=2**30)
    time.sleep(4)
    ended_quietly(client)
