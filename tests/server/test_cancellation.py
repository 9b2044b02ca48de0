"""A cancelled request is answered at once, and its work ends."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from tests.server.editor_session import PATIENCE, Buffer, Session

SERVER = Path(__file__).with_name("blocking_server.py")
SLOW = Path(__file__).with_name("slow_disk_server.py")
CHAPTERS = 300


def ask(draft: Buffer, number: int) -> asyncio.Future[object]:
    params = types.CompletionParams(draft.identifier, draft.position())
    return asyncio.wrap_future(
        draft.session.client.protocol.send_request(
            types.TEXT_DOCUMENT_COMPLETION, params, msg_id=number
        )
    )


def running(log: Path) -> int:
    """Return how many workers have begun and not stopped."""
    lines = log.read_text().splitlines() if log.exists() else []
    return lines.count("started") - lines.count("stopped")


async def test_cancelled_requests_are_answered_at_once_and_free_their_workers(
    folder: Path,
) -> None:
    log, release = folder / "log", folder / "release"
    command = (sys.executable, str(SERVER), str(log), str(release))
    async with Session(folder, command=command) as session:
        drafts = [session.open(f"{name}.md", "See [@he2016resnet¦]\n") for name in "abcd"]
        for first in (100, 200):  # again, with the same workers
            answers = [ask(draft, first + count) for count, draft in enumerate(drafts)]
            await session.until(lambda: running(log) == 2)  # the other two wait for a worker
            for count in range(4):
                session.client.cancel_request(types.CancelParams(first + count))
            for answer in answers:
                with pytest.raises(JsonRpcRequestCancelled):
                    await asyncio.wait_for(answer, PATIENCE)
            assert running(log) == 2, "the answers have not waited for the work to end"
            release.touch()
            await session.until(lambda: running(log) == 0)
            release.unlink()
        hover = types.HoverParams(drafts[0].identifier, drafts[0].position())
        assert await session.client.text_document_hover_async(hover) is not None


def requests(draft: Buffer) -> dict[str, object]:
    """Return what an editor may ask of a draft, by method."""
    there, position = draft.identifier, draft.position()
    place = types.Range(position, position)
    return {
        types.TEXT_DOCUMENT_COMPLETION: types.CompletionParams(there, position),
        types.TEXT_DOCUMENT_HOVER: types.HoverParams(there, position),
        types.TEXT_DOCUMENT_DEFINITION: types.DefinitionParams(there, position),
        types.TEXT_DOCUMENT_TYPE_DEFINITION: types.TypeDefinitionParams(there, position),
        types.TEXT_DOCUMENT_IMPLEMENTATION: types.ImplementationParams(there, position),
        types.TEXT_DOCUMENT_REFERENCES: types.ReferenceParams(
            types.ReferenceContext(True), there, position
        ),
        types.TEXT_DOCUMENT_PREPARE_RENAME: types.PrepareRenameParams(there, position),
        types.TEXT_DOCUMENT_RENAME: types.RenameParams(there, position, "new"),
        types.WORKSPACE_SYMBOL: types.WorkspaceSymbolParams("he"),
        types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionParams(
            there, place, types.CodeActionContext([])
        ),
        types.TEXT_DOCUMENT_DIAGNOSTIC: types.DocumentDiagnosticParams(there),
        types.TEXT_DOCUMENT_DOCUMENT_LINK: types.DocumentLinkParams(there),
        types.TEXT_DOCUMENT_INLAY_HINT: types.InlayHintParams(there, place),
    }


async def test_every_kind_of_request_is_answered_at_once_and_stops_reading(folder: Path) -> None:
    log = folder / "log"
    chapters = "".join(f"\\input{{slow{number}}}" for number in range(CHAPTERS))
    for number in range(CHAPTERS):
        (folder / f"slow{number}.tex").write_text("\\cite{he2016resnet}")

    def read() -> int:
        return len(log.read_text().splitlines()) if log.exists() else 0

    text = f"\\documentclass{{article}}\\cite{{he2016¦resnet}}{chapters}\\bibliography{{refs}}"
    command = (sys.executable, str(SLOW), str(log))
    options = {"inlayHints": {"enabled": True}}
    async with Session(folder, "neovim@v0.11", command=command, options=options) as session:
        for number in range(len(requests(session.open("a.tex", "")))):
            # What is read stays known, so every kind of request has a draft of its own.
            session.leave()
            text = (
                f"\\documentclass{{article}}\\cite{{he2016¦resnet}}{chapters}\\bibliography{{refs}}"
            )
            draft = session.open(f"{number}.tex", text)
            method, params = list(requests(draft).items())[number]
            log.unlink(missing_ok=True)
            answer = asyncio.wrap_future(
                session.client.protocol.send_request(method, params, msg_id=1000 + number)
            )
            await session.until(read)
            session.client.cancel_request(types.CancelParams(1000 + number))
            with pytest.raises(JsonRpcRequestCancelled):
                await answer
            draft.close()
            session.buffers.clear()
            before = read()
            await asyncio.sleep(0.2)
            assert read() <= min(before + 2, CHAPTERS - 1), method


async def test_the_server_leaves_while_work_is_going_on(folder: Path) -> None:
    log = folder / "log"
    command = (sys.executable, str(SERVER), str(log), str(folder / "release"))
    session = Session(folder, command=command)
    async with asyncio.timeout(PATIENCE), session:
        ask(session.open("a.md", "See [@he¦]\n"), 1).add_done_callback(
            lambda done: done.exception()
        )
        await session.until(lambda: running(log) == 1)
    assert session.client._server is not None
    assert session.client._server.returncode == 0
    assert running(log) == 1, "the server has not waited for the work to end"


async def test_goodbye_may_be_said_while_commands_are_executed(folder: Path) -> None:
    (folder / "papers.jsonl").write_text('{"id": "p", "title": "Tides", "abstract": "Shores."}')
    async with Session(folder) as session:
        params = types.ExecuteCommandParams("citeLsp.index", [[str(folder / "papers.jsonl")]])
        for number in range(500, 503):
            pending = session.client.protocol.send_request(
                types.WORKSPACE_EXECUTE_COMMAND, params, msg_id=number
            )
            pending.add_done_callback(lambda done: done.exception())
        await session.until(lambda: "indexing" in session.status)
    assert session.client._server is not None
    assert session.client._server.returncode == 0
