"""A bibliography that TeX itself has is found without anybody waiting for it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.editor_session import PATIENCE, Session

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script"),
]

Install = Callable[[str], Path]
SERVER = Path(__file__).with_name("impatient_kpsewhich_server.py")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a stand-in for `kpsewhich`, and return the file in which it notes its queries."""

    def written(script: str) -> Path:
        queries, program = tmp_path / "asked", tmp_path / "bin" / "kpsewhich"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\necho $3 >> {queries}\n{script}\n")
        program.chmod(0o755)
        return queries

    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return written


async def test_the_name_of_a_bibliography_is_typed_at_full_speed(
    install: Install, tmp_path: Path
) -> None:
    queries = install(f"while [ -d {tmp_path / 'work'} ]; do sleep 0.05; done")
    (tmp_path / "work").mkdir()
    command = (sys.executable, str(SERVER))
    async with Session(tmp_path / "work", command=command) as session:
        draft = session.open("a.tex", "\\documentclass{article}\nA word \\cite{¦}.\n")
        await draft.keys()
        end = draft.text.index(".\n") + 2
        draft.replace(end, end, "\\bibliography{}\n")
        for number, letter in enumerate("references"):
            place = draft.text.index("\\bibliography{") + len("\\bibliography{") + number
            draft.replace(place, place, letter)
            for _ in range(2):  # a name that is looked up twice has rested for this server
                await asyncio.wait_for(draft.keys(), PATIENCE)
        await session.until(queries.exists)
        keys = await asyncio.wait_for(draft.keys(), PATIENCE)
        assert keys == [], "though the program has been started and has not ended"
    (tmp_path / "work").rename(tmp_path / "done")


async def test_a_bibliography_that_tex_has_is_known_a_moment_later(
    install: Install, tmp_path: Path
) -> None:
    installed = tmp_path / "texmf" / "tugboat.bib"
    installed.parent.mkdir()
    installed.write_text("@misc{knuth, title = {Boxes}}\n")
    install(f"sleep 0.3; echo {installed}")
    (tmp_path / "work").mkdir()
    async with Session(tmp_path / "work") as session:
        text = "\\documentclass{article}\nA word \\cite{knuth}.\n\\bibliography{tugboat}\n"
        draft = session.open("a.tex", text)
        assert await session.diagnostics(draft.path)
        uri = draft.path.as_uri()
        await session.until(lambda: not session.client.diagnostics[uri])
