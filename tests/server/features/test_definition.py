"""From a key to its record."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from lsprotocol import types

from tests.library.formats.test_zotero import SCHEMA, add
from tests.rules.test_examine import EMBEDDED
from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def definition(draft: Buffer) -> object:
    return await draft.session.client.text_document_definition_async(
        types.DefinitionParams(draft.identifier, draft.position())
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_a_key_leads_to_its_record(folder: Path, encoding: str) -> None:
    shifted = "@comment{深 😀}\n" + BIBLIOGRAPHY.replace(
        "@article{李明", "@article {😀x,}\n@article{李明"
    )
    (folder / "refs.bib").write_text(shifted, encoding="utf-8")
    async with Session(folder, "neovim@v0.11", encodings=(encoding,)) as session:
        targets = await definition(session.open("a.md", "见 [@李明2021¦]。\n"))
        assert isinstance(targets, list)
        (link,) = targets
        assert isinstance(link, types.LocationLink)
        assert link.target_uri == (folder / "refs.bib").as_uri()
        bib = session.open("refs.bib", shifted)
        name, record = link.target_selection_range, link.target_range
        assert bib.text[bib.offset(name.start) : bib.offset(name.end)] == "李明2021"
        assert bib.text[bib.offset(record.start) :].startswith("@article{李明2021")
        assert bib.text[: bib.offset(record.end)].endswith("计算机学报},\n  year = {2021},\n}")


async def test_clients_without_links_get_a_location(folder: Path) -> None:
    session = Session(folder)
    assert session.capabilities.text_document is not None
    session.capabilities.text_document.definition = None
    async with session:
        targets = await definition(session.open("a.md", "See [@he2016resnet¦].\n"))
        line = BIBLIOGRAPHY[: BIBLIOGRAPHY.index("he2016")].count("\n")
        start = types.Position(line, len("@inproceedings{"))
        end = types.Position(line, len("@inproceedings{he2016resnet"))
        assert targets == types.Location((folder / "refs.bib").as_uri(), types.Range(start, end))


async def test_a_key_leads_to_its_record_in_the_draft_itself(session: Session) -> None:
    draft = session.open("main.tex", EMBEDDED)
    targets = await definition(draft)
    assert isinstance(targets, list) and isinstance(targets[0], types.LocationLink)
    assert targets[0].target_uri == draft.uri
    assert draft.words(targets[0].target_range) == "@article{k1, title = {Nettles}}"
    assert draft.words(targets[0].target_selection_range) == "k1"


async def test_an_unknown_key_leads_nowhere(session: Session) -> None:
    assert not await definition(session.open("a.md", "See [@nobody1900¦].\n"))


async def test_a_key_from_zotero_leads_to_no_line_of_its_database(folder: Path) -> None:
    path = folder / "zotero.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        add(database, 3, [("Rósa", "Luz")], title="Marshes", extra="Citation Key: luz2011")
    async with Session(folder, options={"bibliography": [str(path)]}) as session:
        draft = session.open("a.tex", "\\cite{lu¦z2011}\n\\bibliography{refs}\n")
        assert await draft.keys() == ["luz2011"]
        assert await definition(draft) is None
        references = types.ReferenceParams(
            types.ReferenceContext(True), draft.identifier, draft.position()
        )
        locations = await session.client.text_document_references_async(references)
        assert [place.uri for place in locations or ()] == [draft.uri]
        symbols = types.WorkspaceSymbolParams("Marshes")
        assert not await session.client.workspace_symbol_async(symbols)
