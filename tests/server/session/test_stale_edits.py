"""A client without versions applies what it is sent: of a text edited meanwhile it is sent none."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session

SLOW = Path(__file__).parents[1].joinpath("slow_disk_server.py")
TEXT = """\
\\documentclass{article}
\\begin{document}
\\input{slow1}\\input{slow2}\\input{slow3}\\input{slow4}
The Transformer is a network built from attention alone and was introduced by Vaswani.

Residual learning eases the training of deep networks for images.

So does BERT \\cite{devlin2019bert}.
\\bibliography{refs}
\\end{document}
"""


@pytest_asyncio.fixture
async def session(folder: Path) -> AsyncIterator[Session]:
    """A client that applies edits without looking at versions."""
    session = Session(folder, command=(sys.executable, str(SLOW), str(folder / "log")))
    assert session.capabilities.workspace is not None
    session.capabilities.workspace.workspace_edit = None
    async with session:
        yield session


def ask(draft: Buffer, method: str, params: object, edited: Buffer) -> asyncio.Future[Any]:
    """Ask for what takes a while, as files of the draft are new, and type above it at once.

    Both are sent in one piece, so that however busy the machine is no answer is ready before.
    """
    for number in range(1, 5):
        (draft.path.parent / f"slow{number}.tex").write_text("Some words.")
    protocol = draft.session.client.protocol
    writer, pieces = protocol.writer, list[bytes]()
    assert writer is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "write", pieces.append)
        answer = asyncio.wrap_future(protocol.send_request(method, params))
        edited.replace(0, 0, "% a line of its own\n" * 3)
    writer.write(b"".join(pieces))
    return answer


async def test_an_action_whose_edit_is_older_than_the_text_has_none(session: Session) -> None:
    draft = session.open("a.tex", TEXT).at("The Transformer")
    actions = await draft.actions(end=TEXT.index("So does"))
    action = next(action for action in actions if action.title == "Add missing citations")
    answer = ask(draft, types.CODE_ACTION_RESOLVE, action, draft)
    assert (await answer).edit is None
    (message,) = session.client.messages
    assert "choose “Add missing citations” again" in message.message


async def test_of_actions_those_with_edits_are_not_offered(session: Session) -> None:
    draft = session.open("a.tex", TEXT).at("The Transformer")
    there = await draft.actions()
    assert any(isinstance(action, types.CodeAction) and action.edit for action in there)
    place = types.Range(draft.position(), draft.position())
    params = types.CodeActionParams(draft.identifier, place, types.CodeActionContext([]))
    answer = ask(draft, types.TEXT_DOCUMENT_CODE_ACTION, params, draft)
    assert not [action for action in await answer if getattr(action, "edit", None)]


async def test_a_key_is_not_renamed_in_texts_of_before(session: Session) -> None:
    draft = session.open("a.tex", TEXT).at("\\cite{dev")
    params = types.RenameParams(draft.identifier, draft.position(), "bert")
    answer = ask(draft, types.TEXT_DOCUMENT_RENAME, params, draft)
    with pytest.raises(JsonRpcException, match="edited meanwhile"):
        await answer


async def test_a_citation_is_not_put_into_a_text_of_before(session: Session) -> None:
    draft = session.open("a.tex", TEXT).at("The Transformer")
    place = {"line": draft.position().line, "character": draft.position().character}
    params = types.ExecuteCommandParams("citeLsp.insert", [draft.uri, place, "he2016resnet"])
    answer = ask(draft, types.WORKSPACE_EXECUTE_COMMAND, params, draft)
    assert await answer is False and session.applied == []


async def test_an_entry_is_placed_anew_in_a_bibliography_that_is_edited_meanwhile(
    session: Session,
) -> None:
    bibliography = session.open("refs.bib", BIBLIOGRAPHY.partition("@inproceedings{he2016")[0])
    (session.folder / "more.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    session.client.set_configuration({"citeLsp": {"bibliography": ["more.bib"]}})
    session.change_configuration()
    draft = session.open("a.tex", TEXT.replace("devlin2019bert", "he2016resnet"))
    await draft.at("\\cite{he").actions()
    params = types.ExecuteCommandParams("citeLsp.addEntry", [draft.uri, "he2016resnet"])
    answer = ask(draft, types.WORKSPACE_EXECUTE_COMMAND, params, bibliography)
    assert await answer is True
    (edit,) = session.applied
    assert edit.changes is not None
    (insertion,) = edit.changes[bibliography.uri]
    assert insertion.range.start.line >= bibliography.text.count("\n")
