"""What a newer request has overtaken is dropped; what waits is bounded."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from cite_lsp.server.rpc.overtaken_requests import WaitingRequests
from tests.server.editor_session import PATIENCE, Buffer, Session
from tests.server.test_cancellation import SERVER, running

A, B = (types.TextDocumentIdentifier(f"file:///{name}.tex") for name in "ab")
COMPLETION, ACTION = types.TEXT_DOCUMENT_COMPLETION, types.TEXT_DOCUMENT_CODE_ACTION


def completion(document: types.TextDocumentIdentifier, column: int) -> types.CompletionParams:
    return types.CompletionParams(document, types.Position(0, column))


def actions(line: int, only: types.CodeActionKind | None = None) -> types.CodeActionParams:
    place = types.Position(line, 0)
    context = types.CodeActionContext([], only=[only] if only else None)
    return types.CodeActionParams(A, types.Range(place, place), context)


def test_the_newest_completion_of_a_document_overtakes_the_others() -> None:
    questions = WaitingRequests()
    assert questions.ask(1, COMPLETION, completion(A, 1)) == []
    assert questions.ask(2, COMPLETION, completion(B, 1)) == []
    assert questions.ask(3, types.TEXT_DOCUMENT_HOVER, completion(A, 1)) == []
    assert questions.ask(4, COMPLETION, completion(A, 2)) == [1]


def test_actions_at_other_places_and_of_other_kinds_wait_side_by_side() -> None:
    questions = WaitingRequests()
    assert questions.ask(1, ACTION, actions(0)) == []
    assert questions.ask(2, ACTION, actions(1)) == []
    assert questions.ask(3, ACTION, actions(1, types.CodeActionKind.QuickFix)) == []
    assert questions.ask(4, ACTION, actions(1)) == [2]


def test_an_edit_lets_the_next_request_overtake_all_that_is_about_the_older_text() -> None:
    questions = WaitingRequests()
    questions.ask(1, ACTION, actions(0))
    questions.ask(2, ACTION, actions(1))
    questions.edited(A.uri)
    assert questions.ask(3, ACTION, actions(2)) == [1, 2]


def test_what_was_answered_is_overtaken_by_nothing() -> None:
    questions = WaitingRequests()
    questions.ask(1, COMPLETION, completion(A, 1))
    questions.answered(1)
    assert questions.ask(2, COMPLETION, completion(A, 2)) == []


def test_of_one_question_a_limited_number_waits() -> None:
    questions = WaitingRequests()
    overtaken = [questions.ask(number, ACTION, actions(number)) for number in range(40)]
    assert overtaken == [[]] * 16 + [[number] for number in range(24)]


def test_requests_that_no_editor_repeats_overtake_nothing() -> None:
    questions = WaitingRequests()
    place = types.Position(0, 0)
    for number, name in enumerate("xy"):
        params = types.RenameParams(A, place, name)
        assert questions.ask(number, types.TEXT_DOCUMENT_RENAME, params) == []


def ask(draft: Buffer, method: str, params: object) -> asyncio.Future[object]:
    return asyncio.wrap_future(draft.session.client.protocol.send_request(method, params))


async def refusal(answer: asyncio.Future[object]) -> int:
    with pytest.raises(JsonRpcException) as refused:
        await asyncio.wait_for(answer, PATIENCE)
    return refused.value.code


async def test_typing_without_cancelling_leaves_one_request_in_progress(folder: Path) -> None:
    log, release = folder / "log", folder / "release"
    command = (sys.executable, str(SERVER), str(log), str(release))
    async with Session(folder, command=command) as session:
        draft = session.open("a.md", "See [@he2016resnet¦]\n")
        answers = []
        for letter in "abcdef":
            draft.type(letter)
            params = types.CompletionParams(draft.identifier, draft.position())
            answers.append(ask(draft, COMPLETION, params))
        *overtaken, newest = answers
        for answer in overtaken:
            assert await refusal(answer) == types.LSPErrorCodes.ContentModified
        release.touch()  # those that had begun end
        await session.until(lambda: running(log) == 1)
        assert not newest.done()
        newest.cancel()


async def test_overtaken_diagnostics_are_not_taken_for_none(folder: Path) -> None:
    async with Session(folder) as session:
        draft = session.open("a.md", "See [@unknown]¦\n")
        params = types.DocumentDiagnosticParams(draft.identifier)
        first = ask(draft, types.TEXT_DOCUMENT_DIAGNOSTIC, params)
        second = ask(draft, types.TEXT_DOCUMENT_DIAGNOSTIC, params)
        assert await refusal(first) == types.LSPErrorCodes.ServerCancelled
        report = await asyncio.wait_for(second, PATIENCE)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport) and report.items
