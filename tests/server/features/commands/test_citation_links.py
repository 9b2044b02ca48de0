"""The commands that list what a paper cites and what cites it, and the line in the hover."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from cite_lsp.corpus.citations import CitationContext, PaperCitations
from cite_lsp.paper import Paper
from tests.search.in_memory_sources import InMemorySources
from tests.server.editor_session import Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

ATTENTION = Paper(
    "a", "Attention Is All You Need", authors=("Ashish Vaswani",), year=2017, doi="10.5555/3295222"
)
BERT = Paper(
    "b",
    "BERT: Pre-training of Deep Bidirectional Transformers",
    authors=("Jacob Devlin",),
    year=2019,
)
OTHERS = [
    Paper(f"o{n}", f"Machines Number {n} Translate", authors=("Bo Lind",), year=2018 + n)
    for n in range(2)
]
CITATIONS = [PaperCitations(f"id {paper.id}", ("id a",)) for paper in (BERT, *OTHERS)]


@pytest.fixture
def known(folder: Path) -> Path:
    """The folder, with a corpus that knows what cites one of its entries."""
    sources = InMemorySources(all=[ATTENTION, BERT, *OTHERS, *CITATIONS])
    sources.index(folder / ".home" / "corpora" / "acl", "all")
    return folder


async def run(draft: Buffer, command: str, *rest: Any) -> Any:  # noqa: ANN401
    place = {"line": draft.position().line, "character": draft.position().character}
    return await draft.session.client.workspace_execute_command_async(
        types.ExecuteCommandParams(command, arguments=[draft.uri, place, *rest])
    )


async def test_what_cites_a_paper_and_what_it_cites_come_as_rows(known: Path) -> None:
    async with Session(known) as session:
        draft = session.open("a.tex", "Attention \\cite{vaswani2017attention¦} is enough.\n")
        await session.ready()
        links = await run(draft, "citeLsp.citedBy")
        keys = [(row["key"], row["inLibrary"], row["corpus"]) for row in links["papers"]]
        assert (links["key"], links["total"], links["inLibrary"]) == ("vaswani2017attention", 3, 1)
        assert links["title"] == "Attention Is All You Need"
        assert keys[0] == ("devlin2019bert", True, "")
        assert {row[1:] for row in keys[1:]} == {(False, "acl")}
        assert len((await run(draft, "citeLsp.citedBy", 1))["papers"]) == 1
        cites = await run(draft.at("enough"), "citeLsp.citing")
        assert cites is None
        assert (await run(draft.at("vaswani"), "citeLsp.citing"))["total"] == 0

        key = keys[1][0]
        params = types.ExecuteCommandParams("citeLsp.addEntry", [draft.uri, key])
        assert await session.client.workspace_execute_command_async(params) is True
        assert f"{{{key}," in str(session.applied[-1])

        shown = await session.client.text_document_hover_async(
            types.HoverParams(draft.identifier, draft.position())
        )
        assert shown is not None and isinstance(shown.contents, types.MarkupContent)
        assert "\n\nCited by 3, 1 of them in your library\n\n" in shown.contents.value

        entries = session.open("refs.bib", (known / "refs.bib").read_text(encoding="utf-8"))
        links = await run(entries.at("vaswani2017"), "citeLsp.citedBy")
        assert (links["total"], links["inLibrary"]) == (3, 1)


async def test_without_a_corpus_nothing_is_said(session: Session) -> None:
    draft = session.open("a.tex", "Attention \\cite{vaswani2017attention¦} is enough.\n")
    assert await run(draft, "citeLsp.citedBy") is None


async def test_how_others_cite_a_paper_stands_in_its_hover_and_documentation(folder: Path) -> None:
    contexts = (
        CitationContext("Translation by attention alone", "is fast. It grows."),
        CitationContext("Rivers are long and wide", ", some say."),
    )
    cites = [
        PaperCitations("id b", ("id a",), (contexts[0],)),
        PaperCitations("id o1", ("id a",), (contexts[1],)),
    ]
    sources = InMemorySources(all=[ATTENTION, BERT, *OTHERS, *cites])
    sources.index(folder / ".home" / "corpora" / "acl", "all")
    async with Session(folder) as session:
        draft = session.open("a.tex", "Fast is attention alone \\cite{vaswani2017attention¦}.\n")
        await session.ready()
        shown = await session.client.text_document_hover_async(
            types.HoverParams(draft.identifier, draft.position())
        )
        expected = (
            "Cited elsewhere: “Translation by attention alone […] is fast.” (Devlin 2019, BERT:"
        )
        assert expected in str(shown).replace("\\", "")
        completions = await draft.complete()
        assert completions is not None
        assert "elsewhere" not in str(completions), "it is looked up for the paper that is read of"
        item = await session.client.completion_item_resolve_async(completions.items[0])
        assert expected in str(item.documentation).replace("\\", "")

        entries = session.open("refs.bib", (folder / "refs.bib").read_text(encoding="utf-8"))
        entries = entries.at("vaswani2017")
        shown = await session.client.text_document_hover_async(
            types.HoverParams(entries.identifier, entries.position())
        )
        assert shown is not None and "elsewhere" not in str(shown)
