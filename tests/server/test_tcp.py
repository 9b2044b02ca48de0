"""The server on a TCP port: who may connect."""

from __future__ import annotations

import asyncio
import os
import re
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from cite_lsp.cli import main
from cite_lsp.server.rpc.tcp import TOKEN
from tests.server.editor_session import PATIENCE
from tests.warm_server import SERVE

MESSAGE = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'


@asynccontextmanager
async def listening(folder: Path, token: str = "") -> AsyncIterator[tuple[Process, int]]:
    """Run a server on a free port."""
    server = await asyncio.create_subprocess_exec(
        *(*SERVE, "--tcp", "127.0.0.1:0"),
        env={**os.environ, "CITE_LSP_HOME": str(folder), TOKEN: token},
        stderr=asyncio.subprocess.PIPE,
    )
    assert server.stderr is not None
    try:
        async with asyncio.timeout(PATIENCE):
            line = (await server.stderr.readline()).decode()
            said = re.search(r"listening on 127\.0\.0\.1:(\d+)", line)
            assert said, line
            yield server, int(said[1])
    finally:
        if server.returncode is None:
            server.kill()
            await server.wait()


async def connected(port: int) -> LanguageClient:
    client = LanguageClient("test", "1")
    await client.start_tcp("127.0.0.1", port)
    return client


def start(folder: Path, options: object = None) -> types.InitializeParams:
    return types.InitializeParams(
        types.ClientCapabilities(), root_uri=folder.as_uri(), initialization_options=options
    )


async def said_and_done(port: int, data: bytes) -> bytes:
    """Send bytes, and return what comes until the server hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_a_client_connects_and_leaves(folder: Path) -> None:
    async with listening(folder) as (server, port):
        client = await connected(port)
        answer = await client.initialize_async(start(folder))
        assert answer.capabilities.completion_provider
        with pytest.raises(ConnectionRefusedError):
            await connected(port)
        await client.shutdown_async(None)
        client.exit(None)
        assert await server.wait() == 0


async def test_a_web_page_that_a_browser_shows_is_not_served(folder: Path) -> None:
    request = (
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n"
        b"Content-Length: %d\r\n\r\n" % len(MESSAGE)
    )
    async with listening(folder) as (server, port):
        assert await said_and_done(port, request + MESSAGE) == b""
        assert server.stderr is not None
        assert b"does not speak the protocol" in await server.stderr.readline()
        client = await connected(port)
        answer = await client.initialize_async(start(folder))
        assert answer.capabilities.completion_provider, "the next one is served"


async def test_a_message_that_is_none_costs_no_other(folder: Path) -> None:
    async with listening(folder) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for body in (b"{", b"[1]", MESSAGE):
            writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        answers = b""
        while b"capabilities" not in answers:
            answers += await reader.read(1 << 16)
        assert answers.count(b'"error"') == 2
        writer.close()


@pytest.mark.parametrize("options", [None, {}, {"token": "wrong"}, {"token": 7}])
async def test_a_client_that_does_not_know_the_token_is_refused(
    folder: Path, options: object
) -> None:
    async with listening(folder, "secret") as (server, port):
        client = await connected(port)
        with pytest.raises(JsonRpcException, match="the token is missing or wrong"):
            await client.initialize_async(start(folder, options))
        assert await server.wait() == 1


async def test_a_client_that_knows_the_token_is_served(folder: Path) -> None:
    async with listening(folder, "secret") as (_, port):
        client = await connected(port)
        shown: list[str] = []
        client.feature(types.WINDOW_SHOW_MESSAGE)(lambda params: shown.append(params.message))
        answer = await client.initialize_async(start(folder, {"token": "secret"}))
        assert answer.capabilities.completion_provider
        assert not shown, "it is no unknown setting"


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_without_a_token_no_other_machine_can_connect(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    assert main(["serve", "--tcp", address]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "other machines could connect" in line and TOKEN in line
