"""A remote corpus in the editor: its papers are proposed when its address is in the settings."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.editor_session import Buffer, Session

pytest.importorskip("pymilvus", reason="needs the milvus extra")
pytest.importorskip("milvus_lite", reason="needs Milvus Lite")
pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

TEXT = (
    "\\documentclass{article}\n\\begin{document}\n"
    "Nests of gulls stand near the shore \\cite{¦}.\n"
    "\\bibliography{refs}\n\\end{document}\n"
)
RECORDS = [
    {
        "id": "g",
        "title": "Nesting habits of the herring gull",
        "authors": ["Ann Moor"],
        "year": 2001,
    },
    {"id": "m", "title": "Silt and tidal marshes", "authors": ["Bo Reed"], "year": 2003},
]


@pytest.fixture
def address(folder: Path) -> str:
    """A file of Milvus Lite, written by another process: it serves one at a time."""
    address = f"milvus+file://{folder}/papers.db/birds"
    dump = folder / "dump.jsonl"
    dump.write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf-8")
    command = ["index", str(dump), "--corpus", address, "--encoder", "static"]
    home = {**os.environ, "CITE_LSP_HOME": str(folder / ".home")}
    subprocess.run([sys.executable, "-m", "cite_lsp", *command], check=True, env=home)
    return address


async def is_listed(draft: Buffer, key: str) -> bool:
    """Whether a key is in a list before long: the corpus is opened beside the writing."""
    for _ in range(120):
        if key in await draft.keys():
            return True
        await asyncio.sleep(0.5)
    return False


async def test_its_papers_are_in_the_list(folder: Path, address: str) -> None:
    options = {"corpora": ["*", address], "remote": {"wait": 2000}}
    async with Session(folder, options=options) as session:
        assert await is_listed(session.open("a.tex", TEXT), "moor2001nesting")


async def test_a_file_beside_the_draft_cannot_name_it(folder: Path, address: str) -> None:
    (folder / "cite-lsp.toml").write_text(f'corpora = ["{address}"]\n', encoding="utf-8")
    async with Session(folder) as session:
        keys = await session.open("a.tex", TEXT).keys()
        assert "moor2001nesting" not in keys
        shown = [message.message for message in session.client.messages]
        assert any("name it in the editor's own settings" in message for message in shown)
