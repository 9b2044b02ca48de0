"""Whatever the files hold, the server goes on answering."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.session import BIBLIOGRAPHY, Session

FILES = {
    "binary": bytes(range(256)) * 50,
    "nul": b"@article{a\x00b, title={x}}\n",
    "latin-1": BIBLIOGRAPHY.encode("latin-1", "replace") + "@misc{é, title={é}}".encode("latin-1"),
    "utf-16": BIBLIOGRAPHY.encode("utf-16"),
    "empty": b"",
    "open": b"@article{" * 2000,
    "deep": b"@article{a, title=" + b"{" * 50_000,
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())
async def test_a_bad_bibliography_harms_nothing(folder: Path, content: bytes) -> None:
    (folder / "bad.bib").write_bytes(content)
    async with Session(folder) as session:
        text = "\\bibliography{bad,refs}\n\\cite{¦}\n"
        assert "he2016resnet" in await session.open("a.tex", text).keys()
        assert not [m for m in session.client.messages if m.type == types.MessageType.Error]


@pytest.mark.parametrize(
    "text",
    ["\x00\x01\ud83d\x02", "\\cite{" * 500, "{" * 20_000, "[@" * 500, "---\n: [\n---\n", "\\cite{"],
)
@pytest.mark.parametrize("suffix", [".tex", ".md"])
async def test_a_bad_draft_harms_nothing(folder: Path, text: str, suffix: str) -> None:
    async with Session(folder) as session:
        bad = session.open(f"bad{suffix}", text)
        bad.cursor = len(bad.text)
        if "\ud83d" not in text:
            await bad.complete()
            await bad.actions()
        good = session.open("good.tex", "\\cite{he2016¦}\n")
        assert await good.keys() == ["he2016resnet"]


async def test_a_bibliography_that_is_a_folder_or_unreadable_harms_nothing(folder: Path) -> None:
    (folder / "folder.bib").mkdir()
    (folder / "loop.bib").symlink_to(folder / "loop.bib")
    async with Session(folder) as session:
        text = "\\bibliography{folder,loop,refs}\n\\cite{¦}\n"
        assert "he2016resnet" in await session.open("a.tex", text).keys()


async def test_documents_that_are_no_drafts_are_left_alone(folder: Path) -> None:
    async with Session(folder) as session:
        note = session.open("a.txt", "\\cite{¦}")
        assert await note.complete() is None
        assert await note.actions() == []


async def test_a_request_on_a_closed_document_has_no_answer(folder: Path) -> None:
    async with Session(folder) as session:
        draft = session.open("a.tex", "\\cite{¦}")
        draft.close()
        assert await draft.complete() is None
