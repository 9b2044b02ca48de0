"""A writer's afternoon over the wire: everything at once, as three editors speak to the server."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Session, inserted

MAIN = """\
\\documentclass{article}
\\usepackage{natbib}
\\begin{document}
深度学习 😀 \\input{chapters/method}
\\bibliography{refs}
\\end{document}
"""
METHOD = """\
\\section{Method}
Deep residual networks are easy to optimise \\citep{he2016resnet}.
"""


@pytest.mark.slow
@pytest.mark.parametrize("editor", ["neovim@v0.11", "visual_studio_code", "emacs"])
async def test_from_the_first_word_to_the_last_key(tmp_path: Path, editor: str) -> None:
    (tmp_path / "chapters").mkdir()
    (tmp_path / "main.tex").write_text(MAIN, encoding="utf-8")
    (tmp_path / "chapters" / "method.tex").write_text(METHOD, encoding="utf-8")
    async with Session(tmp_path, editor) as session:
        # The chapter finds the bibliography of the main file, which is not there yet.
        draft = session.open("chapters/method.tex", METHOD)
        main = tmp_path / "main.tex"
        (missing,) = await session.diagnostics(main)
        assert "refs.bib" in missing.message
        (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")

        # A sentence is typed, a citation begun, words of the title typed, a proposal accepted.
        draft.cursor = len(draft.text)
        for letter in "深 😀 A network built from attention alone \\citep{":
            draft.type(letter)
        await session.ready()
        assert set(await draft.keys()) >= {"vaswani2017attention", "DBLP:books/lib/Knuth86a"}
        for letter in "all need":
            draft.type(letter)
        completions = await draft.complete(
            types.CompletionTriggerKind.TriggerForIncompleteCompletions
        )
        assert completions is not None
        (item,) = completions.items
        resolved = await session.client.completion_item_resolve_async(item)
        assert "attention alone" in str(resolved.documentation)
        edit = item.text_edit
        if isinstance(edit, types.InsertReplaceEdit):
            edit = types.TextEdit(edit.replace, edit.new_text)
        assert edit is not None
        draft.replace(draft.offset(edit.range.start), draft.offset(edit.range.end), edit.new_text)
        draft.type("}.\n")
        assert draft.text.endswith("from attention alone \\citep{vaswani2017attention}.\n")

        # The key is looked at, followed, and the file saved: the error is gone.
        at = draft.at("vaswani").position()
        hover = await session.client.text_document_hover_async(
            types.HoverParams(draft.identifier, at)
        )
        assert hover is not None and "Attention Is All You Need" in str(hover.contents)
        definition = await session.client.text_document_definition_async(
            types.DefinitionParams(draft.identifier, at)
        )
        assert (tmp_path / "refs.bib").as_uri() in str(definition)
        draft.save()
        await session.until(lambda: not session.client.diagnostics[main.as_uri()])

        # A sentence without a citation is offered one, in the style of the draft.
        draft.cursor = len(draft.text)
        draft.type("Bidirectional transformers are pre-trained on text.\n")
        actions = await draft.at("Bidirectional").actions()
        first = next(action for action in actions if "Devlin" in action.title)
        assert "citep{devlin2019bert}" in str(first)

        # In the same marker, what stands there is not proposed again.
        draft.at("vaswani2017attention").type(", ")
        keys = [inserted(item) for item in (await draft.complete() or completions).items]
        assert "vaswani2017attention" not in keys
        assert set(keys) >= {"devlin2019bert", "he2016resnet", "李明2021"}
