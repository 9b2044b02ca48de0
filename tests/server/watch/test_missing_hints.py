"""Hints at sentences that may lack a citation, where the writer wants them."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import Buffer, Session
from tests.server.features.commands.test_missing_citations import SENTENCE, TEXT, run

pytestmark = pytest.mark.asyncio(loop_scope="session")


RULES = ("missing-citation", "empty-citation")


async def hints(draft: Buffer) -> list[types.Diagnostic]:
    """Return what names papers, once there is something."""

    def hints_shown() -> list[types.Diagnostic]:
        every = draft.session.client.diagnostics.get(draft.uri, [])
        return [
            diagnostic
            for diagnostic in every
            if diagnostic.code in RULES and diagnostic.message.endswith("?")
        ]

    return list(await draft.session.until(hints_shown))


def writer(folder: Path, mode: str, level: str = "careful") -> Session:
    session = Session(folder, options={"missing": {"hints": mode, "level": level}})
    assert session.capabilities.text_document is not None
    session.capabilities.text_document.diagnostic = None
    return session


async def test_no_hints_are_given_unless_they_are_wanted(folder: Path) -> None:
    async with Session(folder) as session:
        draft = session.open("a.md", TEXT)
        await session.ready()
        assert await run(draft, "citeLsp.missing")
        assert not session.client.diagnostics.get(draft.uri)


async def test_a_hint_stands_at_the_sentence_and_names_the_paper(folder: Path) -> None:
    async with writer(folder, "onSave") as session:
        draft = session.open("a.md", TEXT)
        (hint,) = await hints(draft)
        assert draft.words(hint.range) == SENTENCE
        assert hint.severity == types.DiagnosticSeverity.Hint
        assert hint.message == "a citation may be missing here: Vaswani et al. 2017?"


async def test_a_hint_goes_where_its_sentence_goes_and_ends_when_that_cites(folder: Path) -> None:
    async with writer(folder, "onSave") as session:
        draft = session.open("a.md", TEXT)
        await hints(draft)
        draft.replace(0, 0, "New words.\n\n")
        place = draft.position(draft.text.index(SENTENCE))

        def has_moved() -> bool:
            diagnostics = session.client.diagnostics.get(draft.uri, [])
            return [diagnostic.range.start for diagnostic in diagnostics] == [place]

        await session.until(has_moved)
        draft.at(SENTENCE[:-1]).type(" [@vaswani2017attention]")
        await session.until(lambda: not session.client.diagnostics[draft.uri])


async def test_while_typing_a_new_sentence_gets_its_hint(folder: Path) -> None:
    async with writer(folder, "onType") as session:
        draft = session.open("a.md", "# Related work\n\nWe had lunch. ")
        await session.ready()
        draft.at("lunch. ").type(f"{SENTENCE}\n")
        (hint,) = await hints(draft)
        assert draft.words(hint.range) == SENTENCE


async def test_dismissing_the_paper_changes_the_hint(folder: Path) -> None:
    async with writer(folder, "onSave") as session:
        draft = session.open("a.md", TEXT).at("built from")
        await hints(draft)
        place = {"line": draft.position().line, "character": draft.position().character}
        await run(draft, "citeLsp.dismiss", place, "vaswani2017attention")

        def gone() -> bool:
            return "Vaswani" not in str(session.client.diagnostics.get(draft.uri, []))

        await session.until(gone)


async def test_the_actions_at_a_hint_cite_or_silence(folder: Path) -> None:
    async with writer(folder, "onSave") as session:
        draft = session.open("a.md", TEXT).at("built from")
        await hints(draft)
        titles = [action.title for action in await draft.actions()]
        assert "Cite: Vaswani et al. 2017, Attention Is All You Need" in titles
        assert titles[-1] == "Turn off “missing-citation” in this file", "what silences comes last"


async def test_a_hint_ends_when_its_paper_is_cited_though_another_place_still_waits(
    folder: Path,
) -> None:
    async with writer(folder, "onSave") as session:
        text = f"# Related work\n\n{SENTENCE[:-1]} [?], which is well known by now [?].\n"
        draft = session.open("a.md", text)
        (hint,) = await hints(draft)
        assert "Vaswani" in hint.message
        place = draft.text.index("[?]")
        draft.replace(place, place + 3, "[@vaswani2017attention]")

        def left() -> bool:
            diagnostics = session.client.diagnostics[draft.uri]
            return [draft.words(diagnostic.range) for diagnostic in diagnostics] == [
                "[?]"
            ] and not any("Vaswani" in diagnostic.message for diagnostic in diagnostics)

        await session.until(left)


async def test_a_hint_at_a_marker_that_waits_stands_there(folder: Path) -> None:
    async with writer(folder, "onSave") as session:
        text = f"# Related work\n\n{SENTENCE[:-1]} [?].\n"
        draft = session.open("a.md", text)
        (hint,) = await hints(draft)
        assert (draft.words(hint.range), hint.code) == ("[?]", "empty-citation")
        assert hint.message == "empty citation: Vaswani et al. 2017?"
        assert len(session.client.diagnostics[draft.uri]) == 1
        text = f"\\section{{Related work}}\n{SENTENCE[:-1]} \\cite{{}}.\n\\bibliography{{refs}}\n"
        draft = session.open("b.tex", text, "latex")
        (hint,) = await hints(draft)
        assert (draft.words(hint.range), hint.code) == ("\\cite{}", "empty-citation")
        assert hint.message == "empty citation: Vaswani et al. 2017?"


async def test_a_paper_is_named_once_in_a_paragraph(folder: Path) -> None:
    """What it has cited before is what the sentences behind go on about."""
    again = SENTENCE.replace(".", " too.")
    async with writer(folder, "onSave", "balanced") as session:
        draft = session.open("a.md", f"{TEXT}\n{SENTENCE} {again}\n\n{again}\n")
        paragraph = draft.text.rindex(SENTENCE)
        alone = draft.text.rindex(again)

        def starts() -> list[int]:
            diagnostics = session.client.diagnostics.get(draft.uri, [])
            return [
                draft.offset(diagnostic.range.start)
                for diagnostic in diagnostics
                if diagnostic.code
            ]

        await session.until(lambda: alone in starts())
        assert starts() == [draft.text.index(SENTENCE), paragraph, alone]
        draft.at(f"{TEXT}\n{SENTENCE[:-1]}").type(" [@vaswani2017attention]")
        await session.until(
            lambda: starts() == [draft.text.index(SENTENCE), draft.text.rindex(again)]
        )
