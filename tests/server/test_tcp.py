"""The server on a TCP address."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from tests.server.editor_session import PATIENCE

SERVE_TCP = "import sys; from cite_lsp.server import serve; serve(('127.0.0.1', int(sys.argv[1])))"


async def test_a_client_connects_and_leaves(folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVE_TCP, str(port)),
        env={**os.environ, "CITE_LSP_HOME": str(folder)},
        stderr=asyncio.subprocess.PIPE,
    )
    assert server.stderr is not None
    assert str(port) in (await server.stderr.readline()).decode(), "it says where it listens"
    client = LanguageClient("test", "1")
    async with asyncio.timeout(PATIENCE):
        while True:
            try:  # it says so a moment before it does
                await client.start_tcp("127.0.0.1", port)
                break
            except ConnectionRefusedError:
                await asyncio.sleep(0.02)
    params = types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri())
    assert (await client.initialize_async(params)).capabilities.completion_provider
    await client.shutdown_async(None)
    client.exit(None)
    assert await asyncio.wait_for(server.wait(), PATIENCE) == 0
    await client.stop()  # type: ignore[no-untyped-call]
