"""Formatting of .bib files, and of no other document."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import EDITORS, Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

MESSY = "深 😀\n@Misc{a,title={深 😀}, YEAR=2001}\n@misc{b, note={N}}\n"
SPACES = types.FormattingOptions(tab_size=2, insert_spaces=True)
METHODS = {types.TEXT_DOCUMENT_FORMATTING, types.TEXT_DOCUMENT_RANGE_FORMATTING}


async def formatted(buffer: Buffer, options: types.FormattingOptions = SPACES) -> str:
    edits = await buffer.session.client.text_document_formatting_async(
        types.DocumentFormattingParams(buffer.identifier, options)
    )
    return buffer.after_all(list(edits or []))


async def test_entries_are_laid_out(session: Session) -> None:
    bib = session.open("a.bib", MESSY)
    tidy = "深 😀\n@misc{a,\n  title = {深 😀},\n  year  = 2001,\n}\n@misc{b,\n  note = {N},\n}\n"
    assert await formatted(bib) == tidy
    assert await formatted(session.open("b.bib", tidy)) == tidy
    tabs = types.FormattingOptions(tab_size=4, insert_spaces=False)
    assert "\n\ttitle = " in await formatted(bib, tabs)


async def test_a_range_is_laid_out_alone(session: Session) -> None:
    bib = session.open("a.bib", MESSY)
    place = types.Range(types.Position(2, 0), types.Position(2, 3))
    edits = await session.client.text_document_range_formatting_async(
        types.DocumentRangeFormattingParams(bib.identifier, place, SPACES)
    )
    assert bib.after_all(list(edits or [])) == MESSY.replace(
        "@misc{b, note={N}}", "@misc{b,\n  note = {N},\n}"
    )


async def test_drafts_are_left_to_others(session: Session) -> None:
    draft = session.open("a.tex", "\\cite{a}   text\n")
    assert await formatted(draft) == draft.text


@pytest.mark.parametrize("editor", EDITORS)
async def test_a_client_that_can_is_told_of_bib_files_alone(folder: Path, editor: str) -> None:
    async with Session(folder, editor) as session:
        capabilities = session.result.capabilities
        static = (
            capabilities.document_formatting_provider,
            capabilities.document_range_formatting_provider,
        )
        ability = session.capabilities.text_document.formatting  # type: ignore[union-attr]
        if ability is not None and ability.dynamic_registration:
            assert not any(static)
            await session.until(lambda: METHODS <= set(session.registered))
        else:
            assert all(static)
            assert METHODS.isdisjoint(session.registered)
        assert "  title = " in await formatted(session.open("a.bib", MESSY))
