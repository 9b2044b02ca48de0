"""A request that nobody wants any more is answered at once, and its work ends."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from tests.server.session import Buffer, Session

SERVER = Path(__file__).with_name("blocking_server.py")


def ask(draft: Buffer, number: int) -> asyncio.Future[object]:
    params = types.CompletionParams(draft.identifier, draft.position())
    return asyncio.wrap_future(
        draft.session.client.protocol.send_request(
            types.TEXT_DOCUMENT_COMPLETION, params, msg_id=number
        )
    )


async def test_cancelled_requests_are_answered_at_once_and_free_their_workers(
    folder: Path,
) -> None:
    log = folder / "log"
    command = (sys.executable, str(SERVER), str(log))
    async with Session(folder, command=command) as session:
        draft = session.open("a.md", "See [@he2016resnet¦]\n")
        for first in (100, 200):  # twice, so that workers that were not freed would be missed
            answers = [ask(draft, first + count) for count in range(4)]
            await asyncio.sleep(0.3)
            started = time.perf_counter()
            for count in range(4):
                session.client.cancel_request(types.CancelParams(first + count))
            for answer in answers:
                with pytest.raises(JsonRpcRequestCancelled):
                    await answer
            assert time.perf_counter() - started < 0.25
        await session.until(lambda: log.read_text().count("stopped") == 4)
        hover = types.HoverParams(draft.identifier, draft.position())
        assert await session.client.text_document_hover_async(hover) is not None


async def test_the_server_leaves_while_work_is_going_on(folder: Path) -> None:
    command = (sys.executable, str(SERVER), str(folder / "log"))
    session = Session(folder, command=command)
    async with session:
        ask(session.open("a.md", "See [@he¦]\n"), 1).add_done_callback(
            lambda done: done.exception()
        )
        await asyncio.sleep(0.2)
        started = time.perf_counter()
    assert time.perf_counter() - started < 2
