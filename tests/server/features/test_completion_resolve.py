"""Documentation of a completion item, when the editor asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

DRAFT = r"A network that is built from attention alone translates best \cite{vaswani¦}."


async def documentation(session: Session) -> types.MarkupContent | str | None:
    completions = await session.open("a.tex", DRAFT).complete()
    assert completions is not None
    assert completions.items[0].documentation is None, "a list is short; documentation comes later"
    item = await session.client.completion_item_resolve_async(completions.items[0])
    return item.documentation


async def test_documentation_says_what_the_paper_is_and_why_it_comes(
    session: Session,
) -> None:
    documentation_shown = await documentation(session)
    assert isinstance(documentation_shown, types.MarkupContent)
    assert documentation_shown.kind == types.MarkupKind.Markdown
    title, authors, place, why, abstract = documentation_shown.value.split("\n\n")
    assert title == "**Attention Is All You Need**"
    assert authors == "Ashish Vaswani, Noam Shazeer, Niki Parmar"
    assert place == (
        "*Advances in Neural Information Processing Systems*, 2017"
        " · [10.5555/3295222](<https://doi.org/10.5555/3295222>)"
    )
    assert why
    assert abstract == "A network for translation that is built from attention alone."


async def test_clients_without_markdown_get_plain_text(folder: Path) -> None:
    async with Session(folder, "emacs") as session:  # its list of formats is empty
        documentation_shown = await documentation(session)
        assert isinstance(documentation_shown, str)
        assert documentation_shown.startswith("Attention Is All You Need\n\nAshish Vaswani")
        assert "https://doi.org/10.5555/3295222" in documentation_shown


async def test_an_item_from_long_ago_is_still_explained(session: Session) -> None:
    draft = session.open("a.tex", DRAFT)
    completions = await draft.complete()
    assert completions is not None
    for _ in range(20):
        await draft.complete()
    item = await session.client.completion_item_resolve_async(completions.items[0])
    assert isinstance(item.documentation, types.MarkupContent)
    assert "Attention Is All You Need" in item.documentation.value


async def test_an_item_that_is_not_ours_comes_back_as_it_was(session: Session) -> None:
    for data in (None, 5, {"uri": 1}, {"uri": "file:///nowhere.tex"}):
        item = types.CompletionItem(label="x", data=data)
        assert (await session.client.completion_item_resolve_async(item)).label == "x"
