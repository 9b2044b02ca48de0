"""A bibliography that is open counts as it stands in the editor, and is written with help."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.rules.test_examine import reported
from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session
from tests.server.features.test_rename import edited, rename

pytestmark = pytest.mark.asyncio(loop_scope="session")

DRAFT = "---\nbibliography: refs.bib\n---\n\nSee [@¦]\n"


async def hover(buffer: Buffer) -> str:
    shown = await buffer.session.client.text_document_hover_async(
        types.HoverParams(buffer.identifier, buffer.position())
    )
    return str(shown.contents) if shown else ""


async def test_entries_can_be_cited_before_they_are_saved(session: Session) -> None:
    draft = session.open("a.md", DRAFT)
    bib = session.open("refs.bib", BIBLIOGRAPHY)
    assert len(await draft.keys()) == 6
    bib.replace(0, 0, "@misc{zhou2024, title = {Nettles}}\n\n")
    assert set(await draft.keys()) >= {"zhou2024", "he2016resnet"}
    bib.replace(bib.text.index("@article{李明2021"), len(bib.text), "")
    keys = await draft.keys()
    assert "李明2021" not in keys and "zhou2024" in keys
    draft.type("zhou2024")
    assert "Nettles" in await hover(draft)
    definition = await session.client.text_document_definition_async(
        types.DefinitionParams(draft.identifier, draft.position())
    )
    assert isinstance(definition, list) and isinstance(definition[0], types.LocationLink)
    assert bib.words(definition[0].target_selection_range) == "zhou2024"


async def test_a_closed_bibliography_counts_as_it_is_on_disk(session: Session) -> None:
    draft = session.open("a.md", DRAFT)
    bib = session.open("refs.bib", "@misc{unsaved, title = {T}}\n")
    assert await draft.keys() == ["unsaved"]
    bib.close()
    session.buffers.remove(bib)
    assert len(await draft.keys()) == 6


async def test_an_edit_of_the_bibliography_is_looked_at_in_the_draft(session: Session) -> None:
    draft = session.open("a.md", DRAFT.replace("¦", "newone"))
    (before,) = await session.diagnostics(draft.path)
    assert before.code == "unknown-key"
    session.open("refs.bib", BIBLIOGRAPHY).replace(0, 0, "@misc{newone, title = {T}}\n")
    await session.until(lambda: not session.client.diagnostics[draft.uri])


async def test_the_draft_is_looked_at_when_an_unsaved_bibliography_is_opened_and_given_up(
    session: Session,
) -> None:
    draft = session.open("a.md", DRAFT.replace("¦", "unsaved, @he2016resnet"))
    (before,) = await session.diagnostics(draft.path)
    assert before.message.startswith('no entry has the key "unsaved"')
    bib = session.open("refs.bib", BIBLIOGRAPHY + "@misc{unsaved, title = {T}}\n")
    await session.until(lambda: not session.client.diagnostics[draft.uri])
    bib.close()
    session.buffers.remove(bib)
    assert [diagnostic.message for diagnostic in await session.diagnostics(draft.path)] == [
        before.message
    ]


async def test_a_crossref_leads_to_its_entry_and_shows_it(session: Session) -> None:
    bib = session.open("refs.bib", BIBLIOGRAPHY + "@inbook{a, crossref = {he20¦16resnet}}\n")
    targets = await session.client.text_document_definition_async(
        types.DefinitionParams(bib.identifier, bib.position())
    )
    assert isinstance(targets, list) and isinstance(targets[0], types.LocationLink)
    assert bib.offset(targets[0].target_selection_range.start) == bib.text.index("he2016resnet")
    assert "Deep Residual Learning" in await hover(bib)


MAIN = "\\cite{p1}\n\\bibliography{papers,procs}\n"
PAPERS = "@inproceedings{p1, crossref = {icml20}, title = {P}}\n"
PROCEEDINGS = "@proceedings{icml20, title = {ICML}, year = 2020}\n"


@pytest.fixture
def papers(session: Session) -> Buffer:
    for name, text in (("main.tex", MAIN), ("procs.bib", PROCEEDINGS)):
        (session.folder / name).write_text(text, encoding="utf-8")
    (session.folder / "other.tex").write_text("\\bibliography{papers}\n", encoding="utf-8")
    (session.folder / "papers.bib").write_text(PAPERS, encoding="utf-8")
    return session.open("papers.bib", PAPERS).at("icml20")


async def test_a_crossref_leads_into_another_file_that_a_draft_on_disk_names(
    papers: Buffer,
) -> None:
    session = papers.session
    assert await reported(papers) == []
    assert "ICML" in await hover(papers)
    targets = await session.client.text_document_definition_async(
        types.DefinitionParams(papers.identifier, papers.position())
    )
    assert isinstance(targets, list) and isinstance(targets[0], types.LocationLink)
    assert targets[0].target_uri == (session.folder / "procs.bib").as_uri()
    papers.type("z")
    papers.save()
    assert [words for _, words, _ in await reported(papers)] == ["icml20z"]


@pytest.mark.parametrize("name", ["papers.bib", "procs.bib"])
async def test_a_crossref_into_another_file_is_renamed_with_its_entry(
    papers: Buffer, name: str
) -> None:
    session = papers.session
    buffer = papers if name == "papers.bib" else session.open(name, PROCEEDINGS).at("icml20")
    edits = await rename(buffer, "icml2020")
    assert edited(session, PAPERS, edits["papers.bib"]) == PAPERS.replace("icml20", "icml2020")
    assert edited(session, PROCEEDINGS, edits["procs.bib"]).startswith("@proceedings{icml2020,")
    assert edits.keys() == {"papers.bib", "procs.bib"}
