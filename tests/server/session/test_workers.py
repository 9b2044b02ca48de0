"""Work in the background gives way to what a writer waits for."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from weakref import ref

import pytest

from cite_lsp.cancelling import Cancel
from cite_lsp.server.session.workers import Workers

LONGEST = 240.0
"""Seconds after which a wait is given up; no test takes them where all is well."""


@pytest.fixture
def workers() -> Iterator[Workers]:
    workers = Workers()
    yield workers
    workers.stop()


async def test_background_work_begins_when_no_request_is_being_answered(workers: Workers) -> None:
    order: list[str] = []
    release = threading.Event()

    def request(cancelled: Cancel) -> None:
        release.wait(LONGEST)
        order.append("request")

    answer = asyncio.create_task(workers.answer(request))
    background = asyncio.create_task(workers.prepare(lambda cancelled: order.append("background")))
    await asyncio.sleep(0.3)
    assert order == []
    release.set()
    await asyncio.gather(answer, background)
    assert order == ["request", "background"]


async def test_background_work_pauses_while_a_request_is_being_answered(workers: Workers) -> None:
    steps: list[int] = []
    release = threading.Event()

    def embed(cancelled: Cancel) -> None:
        patient = workers.giving_way(cancelled)
        while not patient() and len(steps) < 1_000_000:
            steps.append(len(steps))

    background = asyncio.create_task(workers.prepare(embed))
    while not steps:
        await asyncio.sleep(0.01)
    answer = asyncio.create_task(workers.answer(lambda cancelled: release.wait(LONGEST)))
    await asyncio.sleep(0.1)
    paused = len(steps)
    await asyncio.sleep(0.1)
    assert len(steps) == paused
    release.set()
    await answer
    while len(steps) == paused:
        await asyncio.sleep(0.01)
    background.cancel()


async def test_background_work_that_is_cancelled_does_not_wait(workers: Workers) -> None:
    release = threading.Event()
    answer = asyncio.create_task(workers.answer(lambda cancelled: release.wait(LONGEST)))
    await asyncio.sleep(0.05)
    assert workers.giving_way(lambda: True)()
    release.set()
    await answer


async def test_long_work_takes_no_thread_from_requests_nor_stops_the_background(
    workers: Workers,
) -> None:
    release = threading.Event()
    long = [
        asyncio.create_task(workers.answer(lambda cancelled: release.wait(LONGEST), lengthy=True))
        for _ in range(5)
    ]
    await asyncio.sleep(0.05)
    answer = workers.answer(lambda cancelled: not workers.giving_way(cancelled)())
    assert await asyncio.wait_for(answer, LONGEST)
    assert await asyncio.wait_for(workers.prepare(lambda cancelled: True), LONGEST)
    assert not any(work.done() for work in long), "neither has waited for the long work"
    release.set()
    await asyncio.gather(*long)


async def test_a_request_that_comes_when_the_server_ends_is_called_off(workers: Workers) -> None:
    workers.stop()
    for ask in (workers.answer, workers.prepare):
        with pytest.raises(asyncio.CancelledError):
            await ask(lambda cancelled: None)


async def test_what_is_called_off_while_it_waits_for_a_thread_is_let_go(workers: Workers) -> None:
    release = threading.Event()
    busy = [
        asyncio.create_task(workers.answer(lambda cancelled: release.wait(LONGEST)))
        for _ in range(2)
    ]
    await asyncio.sleep(0)

    def work(cancelled: Cancel) -> None:
        raise AssertionError("nobody wants it")

    held = ref(work)
    waiting = asyncio.create_task(workers.answer(work))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    del work, waiting
    gc.collect()
    assert held() is None, "the queue still holds it"
    release.set()
    await asyncio.gather(*busy)
