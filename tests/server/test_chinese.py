"""A Chinese draft in the editor: what is typed, what is found, and what is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from cite_lsp.encode import load_encoder
from cite_lsp.paper import Paper
from cite_lsp.search.indexing.build import build_corpus
from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

SENTENCE = "本文采用了一种仅由注意力构成的网络，不再使用循环结构。"
LATIN = "Kaiming He等人提出的残差网络使更深的模型可以训练"


def draft_of(session: Session, sentence: str) -> Buffer:
    return session.open("a.tex", f"\\section{{相关工作}}\n{sentence}\n\\bibliography{{refs}}\n")


async def rows(session: Session, draft: Buffer) -> list[dict[str, Any]]:
    answer = await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams("citeLsp.recommend", [draft.uri, draft.position(), 5])
    )
    return list(answer or [])


@pytest.mark.parametrize("typed", ["shenduxuexi", "sdxx", "liming", "lm", "李明", "深度", "wenben"])
async def test_chinese_papers_are_found_by_han_and_by_pinyin(session: Session, typed: str) -> None:
    draft = draft_of(session, f"文本分类已有许多研究~\\cite{{{typed}¦}}。")
    assert (await draft.keys())[:1] == ["李明2021"]


async def test_an_english_paper_is_found_for_a_chinese_sentence(session: Session) -> None:
    draft = draft_of(session, f"{SENTENCE[:-1]}~\\cite{{¦}}。")
    await session.ready()
    assert (await draft.keys())[0] == "vaswani2017attention"


async def test_an_author_named_in_latin_letters_is_found(session: Session) -> None:
    draft = draft_of(session, f"{LATIN}~\\cite{{¦}}。")
    await session.ready()
    assert (await draft.keys())[0] == "he2016resnet"


async def test_an_author_named_in_han_is_found_and_cited_behind_the_name(session: Session) -> None:
    draft = draft_of(session, "残差网络由何恺¦明等人提出。")
    await session.ready()
    action = next(action for action in await draft.actions() if "He" in action.title)
    assert isinstance(action, types.CodeAction) and action.edit is not None
    (change,) = action.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert "何恺明等人\\cite{he2016resnet}提出" in draft.after_all(
        [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
    )
    reason = next(row for row in await rows(session, draft) if row["key"] == "he2016resnet")
    assert "句中提到其作者" in reason["reason"]


async def test_traditional_script_finds_the_same_paper(session: Session) -> None:
    draft = draft_of(session, "本文採用了一種僅由注意力構成的網絡~\\cite{¦}。")
    await session.ready()
    assert (await draft.keys())[0] == "vaswani2017attention"


async def test_reasons_are_in_the_language_of_the_draft(session: Session) -> None:
    draft = draft_of(session, f"{SENTENCE}¦")
    await session.ready()
    chinese = (await rows(session, draft))[0]["reason"]
    english = (await rows(session, session.open("b.tex", "A network built from attention.¦")))[0][
        "reason"
    ]
    assert "本句" in chinese or "本节" in chinese or "文献库" in chinese
    assert english.isascii() or "“" in english


async def test_documentation_of_an_item_gives_its_reason_in_chinese(session: Session) -> None:
    draft = draft_of(session, f"{SENTENCE[:-1]}~\\cite{{¦}}。")
    await session.ready()
    completions = await draft.complete()
    assert completions is not None
    item = await session.client.completion_item_resolve_async(completions.items[0])
    assert isinstance(item.documentation, types.MarkupContent)
    assert "与此处文字相符" in item.documentation.value or "共有词语" in item.documentation.value


async def test_papers_of_a_corpus_are_found_by_pinyin(tmp_path: Path) -> None:
    papers = [
        Paper("zh:1", "面向图神经网络的推荐算法综述", authors=("张伟",), year=2022, language="zh"),
        Paper("en:1", "Graph Neural Networks", authors=("Ann Lee",), year=2020, language="en"),
    ]
    encoder = load_encoder(max_tokens=32)
    build_corpus(tmp_path / ".home" / "corpora" / "small", papers, encoder)
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    async with Session(tmp_path) as session:
        draft_of(session, "推荐算法已有综述~\\cite{tuijian¦}。")
        await session.ready()
        for typed in ("tuijian", "zhangwei"):
            draft = draft_of(session, f"推荐算法已有综述~\\cite{{{typed}¦}}。")
            completions = await draft.complete()
            assert completions is not None
            assert any("推荐算法综述" in str(item.filter_text) for item in completions.items)
