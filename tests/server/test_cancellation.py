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


def running(log: Path) -> int:
    """Return how many workers have begun and not stopped."""
    lines = log.read_text().splitlines() if log.exists() else []
    return lines.count("started") - lines.count("stopped")


async def test_cancelled_requests_are_answered_at_once_and_free_their_workers(
    folder: Path,
) -> None:
    log = folder / "log"
    command = (sys.executable, str(SERVER), str(log))
    async with Session(folder, command=command) as session:
        draft = session.open("a.md", "See [@he2016resnet¦]\n")
        for first in (100, 200):  # again, with the same workers
            answers = [ask(draft, first + count) for count in range(4)]
            await session.until(lambda: running(log) == 2)  # the other two wait for a worker
            started = time.perf_counter()
            for count in range(4):
                session.client.cancel_request(types.CancelParams(first + count))
            for answer in answers:
                with pytest.raises(JsonRpcRequestCancelled):
                    await answer
            assert time.perf_counter() - started < 0.25
            await session.until(lambda: running(log) == 0)
        hover = types.HoverParams(draft.identifier, draft.position())
        assert await session.client.text_document_hover_async(hover) is not None


async def test_the_server_leaves_while_work_is_going_on(folder: Path) -> None:
    log = folder / "log"
    session = Session(folder, command=(sys.executable, str(SERVER), str(log)))
    async with session:
        ask(session.open("a.md", "See [@he¦]\n"), 1).add_done_callback(
            lambda done: done.exception()
        )
        await session.until(lambda: running(log) == 1)
        started = time.perf_counter()
    assert time.perf_counter() - started < 2
