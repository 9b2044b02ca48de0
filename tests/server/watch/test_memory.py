"""What was read of files that are closed is forgotten, and mapped files are given back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from weakref import ref

import pytest
from lsprotocol import types

from cite_lsp.server.app import create_server
from cite_lsp.server.watch import memory
from cite_lsp.server.watch.memory import MemoryWatch


def test_what_was_read_of_a_closed_file_is_forgotten_and_of_an_open_one_is_not(
    tmp_path: Path,
) -> None:
    server = create_server()
    paths = [tmp_path / f"{name}.tex" for name in ("closed", "open")]
    for path in paths:
        text = f"\\documentclass{{article}} Of {path.name} \\cite{{a}}."
        server.buffers.open(types.TextDocumentItem(path.as_uri(), "latex", 1, text))
    recommender = server.engine.recommender(server.engine.setup)
    closed, opened = (ref(recommender.draft(path).manuscript) for path in paths)
    server.buffers.close(paths[0].as_uri())
    MemoryWatch(server).work(lambda: False)
    assert closed() is None
    assert opened() is recommender.draft(paths[1]).manuscript
    server.close()


def test_mapped_files_are_given_back_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    server = create_server()
    times = 0

    def give_back_pages() -> None:
        nonlocal times
        times += 1

    async def look() -> None:
        watch = MemoryWatch(server)
        watch.opened()
        while times < 3:
            await asyncio.sleep(0)

    monkeypatch.setattr(memory, "_LOOK", 0)
    monkeypatch.setattr(memory, "give_back_pages", give_back_pages)
    asyncio.run(asyncio.wait_for(look(), 60))
    server.close()
