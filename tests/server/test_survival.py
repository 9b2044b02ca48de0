"""Whatever the files hold, the server goes on answering."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

FILES = {
    "binary": bytes(range(256)) * 50,
    "nul": b"@article{a\x00b, title={x}}\n",
    "latin-1": BIBLIOGRAPHY.encode("latin-1", "replace") + "@misc{é, title={é}}".encode("latin-1"),
    "utf-16": BIBLIOGRAPHY.encode("utf-16"),
    "empty": b"",
    "open": b"@article{" * 2000,
    "deep": b"@article{a, title=" + b"{" * 50_000,
}


DRAFTS = (
    "\x00\x01\x02",
    "\\cite{" * 500,
    "{" * 20_000,
    "[@" * 500,
    "---\n: [\n---\n",
    "\\cite{",
    "",
)


async def test_bad_bibliographies_harm_nothing(session: Session) -> None:
    for name, content in FILES.items():
        (session.folder / f"{name}.bib").write_bytes(content)
        text = f"\\bibliography{{{name},refs}}\n\\cite{{¦}}\n"
        assert "he2016resnet" in await session.open(f"{name}.tex", text).keys()
    await session.until(lambda: len(session.client.diagnostics) > len(FILES))
    errors = types.MessageType.Error
    assert not [shown for shown in session.client.messages if shown.type == errors]


@pytest.mark.parametrize("suffix", [".tex", ".md"])
async def test_bad_drafts_harm_nothing(session: Session, suffix: str) -> None:
    for number, text in enumerate(DRAFTS):
        bad = session.open(f"bad{number}{suffix}", text)
        bad.cursor = len(bad.text)
        await bad.complete()
        await bad.actions()
    good = session.open("good.tex", "\\cite{he2016¦}\n")
    assert await good.keys() == ["he2016resnet"]


async def test_a_bibliography_that_is_no_readable_file_harms_nothing(
    session: Session,
) -> None:
    (session.folder / "folder.bib").mkdir()
    (session.folder / "loop.bib").symlink_to(session.folder / "loop.bib")
    text = "\\bibliography{folder,loop,refs}\n\\cite{¦}\n"
    assert "he2016resnet" in await session.open("a.tex", text).keys()


async def test_documents_that_are_no_drafts_are_left_alone(session: Session) -> None:
    note = session.open("a.txt", "\\cite{¦}")
    assert await note.complete() is None
    assert await note.actions() == []


async def test_a_request_on_a_closed_document_has_no_answer(session: Session) -> None:
    draft = session.open("a.tex", "\\cite{¦}")
    draft.close()
    assert await draft.complete() is None
