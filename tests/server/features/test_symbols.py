"""Entries as symbols."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_entries_of_a_bib_file_are_its_symbols(editor_session: Session) -> None:
    session = editor_session
    bib = session.open("refs.bib", "% 深 😀\n" + BIBLIOGRAPHY)
    answer = await session.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(bib.identifier)
    )
    symbols = [symbol for symbol in answer or [] if isinstance(symbol, types.DocumentSymbol)]
    assert [symbol.name for symbol in symbols][:2] == ["vaswani2017attention", "devlin2019bert"]
    assert len(symbols) == 6
    for symbol in symbols:
        assert bib.words(symbol.selection_range) == symbol.name
        assert bib.words(symbol.range).startswith("@")
        assert bib.words(symbol.range).endswith("}")
    assert symbols[0].detail == "Vaswani et al. 2017, Attention Is All You Need"


@pytest.mark.parametrize("name", ["papers.bibtex", "papers.biblatex"])
async def test_symbols_stand_where_they_are_in_the_editor_whatever_the_file_is_called(
    session: Session, name: str
) -> None:
    (session.folder / name).write_text(BIBLIOGRAPHY, encoding="utf-8")
    bib = session.open(name, BIBLIOGRAPHY)
    bib.replace(0, 0, "@misc{zhou2024, title = {Nettles}}\n\n")
    answer = await session.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(bib.identifier)
    )
    symbols = [symbol for symbol in answer or [] if isinstance(symbol, types.DocumentSymbol)]
    assert symbols[0].name == "zhou2024" and len(symbols) == 7
    assert [bib.words(symbol.selection_range) for symbol in symbols] == [
        symbol.name for symbol in symbols
    ]


async def test_clients_without_a_tree_get_a_list(folder: Path) -> None:
    session = Session(folder)
    assert session.capabilities.text_document is not None
    session.capabilities.text_document.document_symbol = None
    async with session:
        bib = session.open("refs.bib", BIBLIOGRAPHY)
        symbols = await session.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(bib.identifier)
        )
        assert symbols and all(isinstance(symbol, types.SymbolInformation) for symbol in symbols)


async def test_all_open_libraries_are_searched_like_completions(session: Session) -> None:
    (session.folder / "more.bib").write_text("@misc{zhou2024, title={Nettles}}", encoding="utf-8")
    session.open("a.md", "---\nbibliography: refs.bib\n---\nText.\n")
    session.open("b.md", "---\nbibliography: [refs.bib, more.bib]\n---\nText.\n")

    async def search(query: str) -> list[str]:
        symbols = await session.client.workspace_symbol_async(types.WorkspaceSymbolParams(query))
        return [symbol.name.split()[0] for symbol in symbols or []]

    assert await search("attention need") == ["vaswani2017attention"]
    assert await search("muller") == ["müller2020"]
    assert await search("nettles") == ["zhou2024"]
    assert len(await search("")) == 7
    assert await search("nowhere") == []
