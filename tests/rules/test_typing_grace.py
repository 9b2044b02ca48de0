"""A key is not called unknown while it is being typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.rules.test_examine import reported
from tests.server.editor_session import Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

DRAFT = "深 😀 \\cite{¦, he2016resnte}. Words follow.\n"


async def unknown(draft: Buffer) -> list[str]:
    return [words for rule, words, _ in await reported(draft) if rule == "unknown-key"]


async def test_the_key_under_the_cursor_is_not_unknown_yet(editor_session: Session) -> None:
    draft = editor_session.open("a.tex", DRAFT)
    for letter in "attention is":
        draft.type(letter)
        assert await unknown(draft) == ["he2016resnte"]


async def test_nor_is_it_where_the_editor_sends_the_whole_text_each_time(session: Session) -> None:
    draft = session.open("a.tex", DRAFT)
    assert await unknown(draft) == ["he2016resnte"]
    for letter in "nobody":
        draft.type_whole(letter)
        assert await unknown(draft) == ["he2016resnte"]
    draft.at("Words").type_whole(" of mine")
    assert await unknown(draft) == ["nobody", "he2016resnte"]


async def test_with_an_edit_elsewhere_it_is(editor_session: Session) -> None:
    draft = editor_session.open("a.tex", DRAFT)
    draft.type("nobody")
    draft.at("Words").type(" of mine")
    assert await unknown(draft) == ["nobody", "he2016resnte"]


async def test_behind_a_comma_the_key_before_it_is_finished(session: Session) -> None:
    draft = session.open("a.tex", "Text \\cite{¦}.\n")
    draft.type("nobody")
    assert await unknown(draft) == []
    draft.type(",")
    assert await unknown(draft) == ["nobody"]
    draft.type("none")
    assert await unknown(draft) == ["nobody"]


async def test_what_is_taken_away_from_a_key_leaves_it_unfinished(session: Session) -> None:
    draft = session.open("a.md", "As in [@he2016resnet] it is.\n")
    start = draft.text.index("resnet") + 3
    draft.replace(start, start + 3, "")
    assert await unknown(draft) == []
    draft.at("it is").type("!")
    assert await unknown(draft) == ["he2016res"]


async def empty(draft: Buffer) -> list[str]:
    return [words for rule, words, _ in await reported(draft) if rule == "empty-citation"]


async def test_a_citation_that_is_just_begun_is_not_called_empty(editor_session: Session) -> None:
    draft = editor_session.open("a.tex", "Text \\cite{} here ¦. Words follow.\n")
    assert await empty(draft) == ["\\cite{}"]
    draft.type("\\citep{}")
    assert await empty(draft) == ["\\cite{}"]
    draft.at("Words").type(" of mine")
    assert await empty(draft) == ["\\cite{}", "\\citep{}"]


@pytest.mark.parametrize(
    ("name", "text", "typed"),
    [
        ("a.tex", "Text \\cite{müller2020¦}. Words.\n", ", "),
        ("a.tex", "Text \\cite{¦}. Words.\n", "TODO"),
        ("a.md", "Text [@müller2020¦]. Words.\n", "; @"),
        ("a.md", "Text ¦. Words.\n", "[citation needed]"),
        ("a.typ", "Text #cite(¦). Words.\n", "<>"),
        ("a.org", "Text ¦. Words.\n", "[cite:@]"),
    ],
)
async def test_nor_is_a_place_where_the_next_key_is_about_to_be_typed(
    session: Session, name: str, text: str, typed: str
) -> None:
    draft = session.open(name, text)
    draft.type(typed)
    assert await empty(draft) == []
    draft.at("Words").type(" of mine")
    assert len(await empty(draft)) == 1


async def test_saved_it_is_finished(session: Session) -> None:
    draft = session.open("a.tex", DRAFT)
    draft.type("nobody")
    assert await unknown(draft) == ["he2016resnte"]
    draft.save()
    assert await unknown(draft) == ["nobody", "he2016resnte"]
    draft.path.unlink()


async def test_a_citation_that_is_pasted_is_finished(session: Session) -> None:
    draft = session.open("a.tex", "Text ¦ goes on.\n")
    draft.type("\\cite{nobody}")
    assert await unknown(draft) == ["nobody"]


async def test_after_a_rest_a_client_that_is_sent_diagnostics_gets_them(session: Session) -> None:
    draft = session.open("a.tex", "Text \\cite{¦}.\n")
    draft.type("nobody")
    assert await unknown(draft) == []
    (diagnostic,) = await session.diagnostics(draft.path)
    assert draft.words(diagnostic.range) == "nobody"


async def test_after_a_rest_a_client_that_pulls_is_made_to_pull_again(folder: Path) -> None:
    session = Session(folder, "neovim@v0.11")
    assert session.capabilities.workspace is not None
    refresh = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    session.capabilities.workspace.diagnostics = refresh
    async with session:
        draft = session.open("a.tex", "Text \\cite{¦}.\n")
        draft.type("nobody")
        assert await unknown(draft) == []
        refreshes = session.client.diagnostic_refresh_count
        await session.until(lambda: session.client.diagnostic_refresh_count > refreshes)
        assert await unknown(draft) == ["nobody"]
