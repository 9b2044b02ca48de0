"""Where a key is cited."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.uris import to_fs_path

from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

MAIN = (
    "\\documentclass{article}\n\\begin{document}\n深 😀 \\cite{müller2020,李明2021¦}\n"
    "\\input{chapter}\n\\bibliography{refs}\n\\end{document}\n"
)
CHAPTER = "深 😀 again \\citep[p. 3]{李明2021}.\n"
NOTES = "---\nbibliography: refs.bib\n---\n\n见 [@李明2021; @müller2020]。\n"
CHILD = "@inbook{child, crossref = {李明2021}, title = {Part}}\n"


async def references(buffer: Buffer, declaration: bool = True) -> list[tuple[str, str]]:
    """Return (file, text at the place) pairs."""
    locations = await buffer.session.client.text_document_references_async(
        types.ReferenceParams(
            types.ReferenceContext(declaration), buffer.identifier, buffer.position()
        )
    )
    places = []
    for location in locations or []:
        path = Path(to_fs_path(location.uri) or "")
        text = path.read_text(encoding="utf-8")
        at = Buffer.__new__(Buffer)
        at.session, at.text = buffer.session, text
        places.append((path.name, at.words(location.range)))
    return places


def write(folder: Path) -> None:
    (folder / "main.tex").write_text(MAIN.replace("¦", ""), encoding="utf-8")
    (folder / "chapter.tex").write_text(CHAPTER, encoding="utf-8")
    (folder / "notes.md").write_text(NOTES, encoding="utf-8")
    (folder / "refs.bib").write_text(BIBLIOGRAPHY + CHILD, encoding="utf-8")


EVERYWHERE = [
    ("chapter.tex", "李明2021"),
    ("main.tex", "李明2021"),
    ("notes.md", "李明2021"),
    ("refs.bib", "李明2021"),
    ("refs.bib", "李明2021"),
]


async def test_a_file_that_a_link_leads_to_as_well_is_counted_once(session: Session) -> None:
    paper, link = session.folder / "paper", session.folder / "link"
    paper.mkdir()
    write(paper)
    link.symlink_to(paper)
    opened = session.open("link/main.tex", MAIN)
    assert sorted(await references(opened)) == EVERYWHERE


async def test_a_key_is_found_in_every_draft_and_bibliography(editor_session: Session) -> None:
    session = editor_session
    write(session.folder)
    (session.folder / "other").mkdir()
    (session.folder / "other" / "alone.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (session.folder / "other" / "alone.md").write_text(
        "---\nbibliography: alone.bib\n---\n[@李明2021]"
    )
    from_draft = await references(session.open("main.tex", MAIN))
    assert sorted(from_draft) == EVERYWHERE
    bib = session.open("refs.bib", BIBLIOGRAPHY + CHILD)
    assert sorted(await references(bib.at("@article{李明"))) == EVERYWHERE
    assert sorted(await references(bib.at("crossref = {李"))) == EVERYWHERE


async def test_the_entry_is_left_out_where_the_declaration_is_not_wanted(session: Session) -> None:
    write(session.folder)
    places = await references(session.open("main.tex", MAIN), declaration=False)
    assert sorted(places) == EVERYWHERE[:4]


async def test_a_further_key_of_an_entry_is_found_with_the_others(session: Session) -> None:
    (session.folder / "refs.bib").write_text("@misc{new, title={T}, ids={old, x}}\n")
    (session.folder / "b.tex").write_text("\\bibliography{refs} \\cite{old}\n")
    everywhere = [("a.tex", "new"), ("a.tex", "old"), ("b.tex", "old")]
    text = "\\bibliography{refs} \\cite{old} \\cite{new}\n"
    (session.folder / "a.tex").write_text(text)
    draft = session.open("a.tex", text).at("{old")
    in_entry = [("refs.bib", key) for key in ("new", "old", "x")]
    assert sorted(await references(draft, declaration=False)) == everywhere
    assert sorted(await references(draft.at("{new"))) == [*everywhere, *in_entry]
    hover = await session.client.text_document_hover_async(
        types.HoverParams(draft.identifier, draft.at("{old").position())
    )
    assert hover is not None


async def test_there_are_none_off_a_key(session: Session) -> None:
    assert not await references(session.open("a.tex", "Prose¦ \\cite{he2016resnet}\n"))
    bib = session.open("refs.bib", BIBLIOGRAPHY)
    assert not await references(bib.at("title = {Deep"))
