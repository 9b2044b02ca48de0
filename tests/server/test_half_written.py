"""A bibliography that another program is in the middle of writing costs no entry."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

UNNAMED = "% cite-lsp: off empty-citation\n\\cite{李明2021}, \\cite{¦}\n"
DRAFT = f"{UNNAMED}\\bibliography{{refs}}\n"
MIDDLE = BIBLIOGRAPHY.index("{Deep Residual") + 5


def written(draft: Buffer, text: str) -> None:
    """Let another program write the bibliography, and the client say so."""
    path = draft.session.folder / "refs.bib"
    path.write_text(text, encoding="utf-8")
    notify_of_change(draft)


def notify_of_change(draft: Buffer) -> None:
    path = draft.session.folder / "refs.bib"
    changed = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
    draft.session.client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams([changed])
    )


async def codes(draft: Buffer) -> list[object]:
    report = await draft.session.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(draft.identifier)
    )
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [diagnostic.code for diagnostic in report.items]


@pytest.mark.parametrize("half", ["", "\n", BIBLIOGRAPHY[:MIDDLE]])
async def test_entries_stay_known_while_their_file_is_being_written(
    session: Session, half: str
) -> None:
    draft = session.open("a.tex", DRAFT)
    assert len(await draft.keys()) == 6 and await codes(draft) == []
    written(draft, half)
    assert len(await draft.keys()) == 6
    assert await codes(draft) == []
    written(draft, BIBLIOGRAPHY + "@misc{new2024, title={T}}\n")
    assert len(await draft.keys()) == 7
    assert await codes(draft) == []


@pytest.mark.parametrize("text", [DRAFT, UNNAMED])
async def test_entries_stay_known_while_their_file_is_being_replaced(
    session: Session, text: str
) -> None:
    draft = session.open("a.tex", text)
    assert len(await draft.keys()) == 6
    (session.folder / "refs.bib").unlink()
    notify_of_change(draft)
    assert len(await draft.keys()) == 6 and await codes(draft) == []
    written(draft, BIBLIOGRAPHY)
    assert len(await draft.keys()) == 6 and await codes(draft) == []


async def test_a_file_that_no_draft_names_is_gone_soon_when_it_is_removed(session: Session) -> None:
    draft = session.open("a.tex", UNNAMED)
    assert len(await draft.keys()) == 6
    (session.folder / "refs.bib").unlink()
    (session.folder / "other.bib").write_text("@misc{other, title={T}}\n")
    notify_of_change(draft)
    await session.until(lambda: session.client.diagnostics.get(draft.uri))
    assert await draft.keys() == ["other"]


@pytest.mark.parametrize("half", ["", BIBLIOGRAPHY[:MIDDLE]])
async def test_what_stays_away_is_gone_soon_though_nobody_tells_of_it_again(
    session: Session, half: str
) -> None:
    draft = session.open("a.tex", DRAFT)
    assert len(await draft.keys()) == 6
    written(draft, half)
    await session.until(lambda: session.client.diagnostics.get(draft.uri))
    keys = await draft.keys()
    assert "李明2021" not in keys
    assert "vaswani2017attention" in keys or not half
