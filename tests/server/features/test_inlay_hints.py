"""Authors and years behind keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session

TEXT = "深 😀 \\cite{vaswani2017attention, nobody1900,müller2020}.\n\nAgain \\cite{李明2021}.\n"


async def hints(draft: Buffer, end: int | None = None) -> dict[str, str]:
    place = types.Range(draft.position(0), draft.position(end or len(draft.text)))
    inlay_hints = await draft.session.client.text_document_inlay_hint_async(
        types.InlayHintParams(draft.identifier, place)
    )
    return {
        draft.text[: draft.offset(hint.position)].replace(",", "{").rpartition("{")[2].strip(): str(
            hint.label
        )
        for hint in inlay_hints or []
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_they_stand_behind_known_keys_of_the_range(folder: Path, encoding: str) -> None:
    options = {"inlayHints": {"enabled": True}}
    async with Session(folder, options=options, encodings=(encoding,)) as session:
        draft = session.open("a.tex", TEXT)
        above = {"vaswani2017attention": "Vaswani et al. 2017", "müller2020": "Müller 2020"}
        assert await hints(draft, TEXT.index("Again")) == above
        assert await hints(draft) == {**above, "李明2021": "李明 2021"}


async def test_they_are_off_by_default(folder: Path) -> None:
    async with Session(folder, "neovim@v0.11") as session:
        draft = session.open("a.tex", TEXT)
        assert await hints(draft) == {}
        session.client.set_configuration({"inlayHints": {"enabled": True}}, section="citeLsp")
        session.change_configuration()
        await session.until(lambda: types.WORKSPACE_INLAY_HINT_REFRESH in session.refreshed)
        assert len(await hints(draft)) == 3


async def test_the_client_is_notified_when_a_library_has_changed_them(folder: Path) -> None:
    options = {"inlayHints": {"enabled": True}}
    session = Session(folder, "neovim@v0.11", options=options)
    assert session.capabilities.text_document is not None
    session.capabilities.text_document.diagnostic = None  # each look at the document publishes
    async with session:
        draft = session.open("a.tex", TEXT)
        await session.diagnostics(draft.path)
        bib = session.open("refs.bib", BIBLIOGRAPHY)
        draft.at("Again").type(" \\cite{nobody1901}")
        await session.until(lambda: len(session.client.diagnostics[draft.uri]) == 2)
        assert not session.refreshed  # the client knows of its own edits
        bib.at("title = {基于深度学习的文本分类研究},\n  author = {").type("王")
        await session.until(lambda: types.WORKSPACE_INLAY_HINT_REFRESH in session.refreshed)
        assert (await hints(draft))["李明2021"] == "王李明 2021"
