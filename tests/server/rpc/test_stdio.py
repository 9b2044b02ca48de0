"""Messages arrive as the pipe cuts them: in pieces, several at once, or broken off."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.editor_session import PATIENCE
from tests.warm_server import SERVE, serve


def bare(message: dict[str, object]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def framed(method: str, number: int | None = None, params: object = None) -> bytes:
    message: dict[str, object] = {"method": method, "params": params}
    if number is not None:
        message["id"] = number
    return bare(message)


HELLO = framed("initialize", 1, {"processId": None, "capabilities": {}, "rootUri": None})
GOODBYE = framed("shutdown", 2) + framed("exit")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path))
    process = subprocess.Popen(
        serve(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    yield process
    process.kill()
    process.wait()


def test_several_messages_may_come_in_one_piece(server: subprocess.Popen[bytes]) -> None:
    answers, _ = server.communicate(HELLO + GOODBYE, timeout=PATIENCE)
    assert b'"id": 1' in answers and b'"id": 2' in answers
    assert server.returncode == 0


@pytest.mark.parametrize("sent", [b"", b"garbage\n"])
def test_an_input_without_any_message_is_one_line(
    server: subprocess.Popen[bytes], sent: bytes
) -> None:
    answers, log = server.communicate(sent, timeout=PATIENCE)
    (line,) = log.decode().splitlines()
    assert (server.returncode, answers) == (1, b"")
    assert line.endswith("Language Server Protocol: let an editor start the server")


def test_a_message_may_come_in_many_pieces(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    for start in range(0, len(HELLO), 40):
        server.stdin.write(HELLO[start : start + 40])
        server.stdin.flush()
        time.sleep(0.005)
    answers, _ = server.communicate(GOODBYE, timeout=PATIENCE)
    assert b'"id": 1' in answers and server.returncode == 0


@pytest.mark.parametrize("last", [b"", b"Content-Len", b'Content-Length: 500\r\n\r\n{"jsonrpc'])
def test_a_client_that_is_gone_ends_the_server(
    server: subprocess.Popen[bytes], last: bytes
) -> None:
    _, log = server.communicate(HELLO + last, timeout=PATIENCE)
    assert server.returncode == 1
    assert b"Traceback" not in log


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_wire_that_takes_nothing_ends_the_server_with_a_line(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        process = subprocess.run(
            SERVE,
            input=HELLO * 3,
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "CITE_LSP_HOME": str(tmp_path)},
            timeout=PATIENCE,
        )
    (line,) = process.stderr.splitlines()
    assert process.returncode == 1 and b"nothing can be sent to the client" in line


def test_a_client_that_reads_no_more_ends_the_server_with_a_line(
    server: subprocess.Popen[bytes],
) -> None:
    assert server.stdin is not None and server.stdout is not None and server.stderr is not None
    server.stdout.close()
    server.stdin.write(HELLO)
    server.stdin.flush()
    (line,) = server.stderr.read().splitlines()
    assert server.wait(30) == 1 and b"nothing can be sent to the client" in line


def test_junk_between_messages_is_passed_over(server: subprocess.Popen[bytes]) -> None:
    junk = b"x" * 200_000 + b"\r\n"
    answers, _ = server.communicate(junk + HELLO + GOODBYE, timeout=PATIENCE)
    assert b'"id": 1' in answers and server.returncode == 0


def read_message(server: subprocess.Popen[bytes]) -> dict[str, object]:
    assert server.stdout is not None
    length = 0
    while header := server.stdout.readline().strip():
        if header.lower().startswith(b"content-length:"):
            length = int(header.partition(b":")[2])
    message: dict[str, object] = json.loads(server.stdout.read(length))
    return message


def test_settings_are_requested_though_the_client_answers_nothing(
    server: subprocess.Popen[bytes],
) -> None:
    abilities = {
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
    }
    params = {"processId": None, "capabilities": {"workspace": abilities}, "rootUri": None}
    assert server.stdin is not None
    server.stdin.write(framed("initialize", 1, params) + framed("initialized", None, {}))
    server.stdin.flush()
    assert read_message(server)["id"] == 1
    assert read_message(server)["method"] == "workspace/configuration"


@pytest.mark.parametrize("last", [GOODBYE, framed("exit"), b""])
def test_a_client_may_leave_in_the_middle_of_anything(
    server: subprocess.Popen[bytes], tmp_path: Path, last: bytes
) -> None:
    rows = [{"id": f"p{n}", "title": f"Tide {n}", "abstract": f"Sea {n}."} for n in range(2000)]
    papers = tmp_path / "papers.jsonl"
    papers.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    indexing = {"command": "citeLsp.index", "arguments": [[str(papers)]]}
    assert server.stdin is not None
    server.stdin.write(HELLO + framed("workspace/executeCommand", 3, indexing))
    server.stdin.flush()
    while "papers: embedding" not in str(read_message(server)):
        pass
    answers, log = server.communicate(last, timeout=PATIENCE)
    assert (b'"id": 2, "jsonrpc": "2.0", "result": null' in answers) == (last == GOODBYE)
    assert server.returncode == (0 if last == GOODBYE else 1)
    assert log == b""


def answers_of(server: subprocess.Popen[bytes], messages: bytes) -> list[dict[str, object]]:
    """Return the messages of the server to a client that says all of that and leaves."""
    out, _ = server.communicate(messages + GOODBYE, timeout=PATIENCE)
    return [json.loads(part.rsplit(b"Content-Length", 1)[0]) for part in out.split(b"\r\n\r\n")[1:]]


def test_a_client_that_knows_more_than_the_protocol_is_served(
    server: subprocess.Popen[bytes],
) -> None:
    abilities = {
        "general": {"positionEncodings": ["utf-32"]},
        "textDocument": {
            "documentSymbol": {"symbolKind": {"valueSet": [1, 99]}},
            "hover": {"contentFormat": ["adoc", "markdown"]},
            "codeAction": {"codeActionLiteralSupport": {}},
            "inlayHint": True,
        },
        "window": None,
    }
    params = {"processId": None, "capabilities": abilities, "rootUri": None, "trace": "compact"}
    answer, *_ = answers_of(server, framed("initialize", 1, params))
    assert answer["id"] == 1
    assert answer["result"]["capabilities"]["positionEncoding"] == "utf-32"  # type: ignore[index]


def test_a_request_that_means_nothing_is_refused_and_the_writer_left_in_peace(
    server: subprocess.Popen[bytes],
) -> None:
    nowhere = {"textDocument": {"uri": "file:///paper.tex"}, "position": {"line": -1}}
    unreadable = framed("textDocument/hover", 5, nowhere)
    edit = framed("textDocument/didChange", None, {"textDocument": {"uri": "file:///paper.tex"}})
    answers = answers_of(server, HELLO + unreadable + edit)
    (refusal,) = [message for message in answers if message.get("id") == 5]
    assert refusal["error"]["code"] == -32602  # type: ignore[index]
    assert not [message for message in answers if message.get("method") == "window/showMessage"]


def test_a_request_that_comes_after_shutdown_is_refused(server: subprocess.Popen[bytes]) -> None:
    late = framed("workspace/symbol", 9, {"query": ""})
    out, _ = server.communicate(
        HELLO + framed("shutdown", 2) + late + framed("exit"), timeout=PATIENCE
    )
    assert out.count(b'"code": -32600') == 1 and b'"id": 9' in out
    assert server.returncode == 0


def test_params_may_be_left_out_and_what_nobody_knows_is_no_news_to_the_writer(
    server: subprocess.Popen[bytes],
) -> None:
    notifications = bare({"method": "initialized"}) + bare({"method": "$/unheardOf"})
    unknown_request = bare({"method": "unheard/of", "id": 6})
    answers = answers_of(server, HELLO + notifications + unknown_request)
    (refusal,) = [answer for answer in answers if answer.get("id") == 6]
    assert refusal["error"]["code"] == -32601  # type: ignore[index]
    assert not [answer for answer in answers if answer.get("method") == "window/showMessage"]


def test_settings_that_the_client_answers_with_nothing_are_waited_for_no_longer(
    server: subprocess.Popen[bytes],
) -> None:
    abilities = {"workspace": {"configuration": True}}
    params = {"processId": None, "capabilities": abilities, "rootUri": None}
    assert server.stdin is not None
    server.stdin.write(framed("initialize", 1, params) + framed("initialized", None, {}))
    server.stdin.flush()
    read_message(server)
    question = read_message(server)
    later = framed("workspace/symbol", 3, {"query": ""})
    server.stdin.write(bare({"id": question["id"], "result": None}) + later)
    server.stdin.flush()
    while read_message(server).get("id") != 3:
        pass
    _, log = server.communicate(GOODBYE, timeout=PATIENCE)
    (line,) = log.splitlines()
    assert b"the client did not tell its settings" in line


def test_what_is_refused_or_called_off_too_late_is_no_line_in_the_log(
    server: subprocess.Popen[bytes],
) -> None:
    late = framed("$/cancelRequest", None, {"id": 1})
    refused = framed("workspace/executeCommand", 7, {"command": "nothing"})
    out, log = server.communicate(HELLO + late + refused + GOODBYE, timeout=PATIENCE)
    assert b"-32602" in out and log == b""


def test_a_request_is_about_the_text_as_it_was_when_it_was_sent(
    server: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    uri = (tmp_path / "a.md").as_uri()
    text = {"uri": uri, "languageId": "markdown", "version": 1, "text": "Terns [@terns2020]."}
    there = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 9}}
    edit = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "\n\nTerns"}]}
    assert server.stdin is not None
    server.stdin.write(
        HELLO
        + framed("textDocument/didOpen", None, {"textDocument": text})
        + framed("textDocument/prepareRename", 5, there)
        + framed("textDocument/didChange", None, edit)
        + framed("textDocument/prepareRename", 6, there)
    )
    server.stdin.flush()
    answers: dict[object, object] = {}
    while len(answers) < 3:
        message = read_message(server)
        answers |= {message["id"]: message["result"]} if "id" in message else {}
    assert answers[5]["placeholder"] == "terns2020"  # type: ignore[index]
    assert answers[6] is None
