"""Hover over a key."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.session import Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = "深 😀 \\citep[see][p. 3]{he2016resnet, 李明2021¦, nobody1900} and prose.\n"


async def hover(draft: Buffer) -> types.Hover | None:
    return await draft.session.client.text_document_hover_async(
        types.HoverParams(draft.identifier, draft.position())
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_the_paper_behind_the_key_is_shown(folder: Path, encoding: str) -> None:
    async with Session(folder, encodings=(encoding,)) as session:
        draft = session.open("a.tex", TEXT)
        found = await hover(draft)
        assert found is not None and isinstance(found.contents, types.MarkupContent)
        assert found.contents.value.startswith("**基于深度学习的文本分类研究**\n\n李明")
        assert found.range is not None
        start, end = draft.offset(found.range.start), draft.offset(found.range.end)
        assert draft.text[start:end] == "李明2021"


async def test_there_is_nothing_to_say_elsewhere(session: Session) -> None:
    draft = session.open("a.tex", TEXT)
    for words in ("\\cite", "p. 3", "nobody19", "and pr"):
        assert await hover(draft.at(words)) is None
