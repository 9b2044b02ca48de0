"""Handlers run at once, as tasks or in steps; to cancel a call ends all that it is made of."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future

import pytest

from cite_lsp.server.rpc.calls import Steps, run


def double(number: int) -> int:
    return number * 2


async def slowly(number: int) -> int:
    await asyncio.sleep(0)
    return number * 2


def fail(number: int) -> None:
    raise ValueError(number)


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_a_plain_handler_is_done_at_once() -> None:
    assert run(double, (2,)).result() == 4
    assert run(double, None, {"number": 3}).result() == 6


async def test_a_coroutine_begins_in_the_next_turn() -> None:
    call = run(slowly, (2,))
    assert not call.done()
    await turns()
    assert call.result() == 4


async def test_each_step_is_sent_what_it_returned() -> None:
    def steps(number: int) -> Steps:
        first = yield double, (number,), None
        second = yield slowly, None, {"number": first}
        return [first, second]

    call = run(steps, (1,))
    assert not call.done()
    await turns()
    assert call.result() == [2, 4]


def test_steps_that_never_wait_are_done_at_once() -> None:
    def steps() -> Steps:
        return (yield double, (1,), None)

    assert run(steps).result() == 2


@pytest.mark.parametrize("kind", ["plain", "step", "steps"])
def test_what_a_handler_raises_is_what_the_call_raises(kind: str) -> None:
    def step() -> Steps:
        yield fail, (1,), None

    def steps() -> Steps:
        yield double, (1,), None
        raise ValueError

    call = run(fail, (1,)) if kind == "plain" else run(step if kind == "step" else steps)
    with pytest.raises(ValueError):
        call.result()


async def test_to_cancel_the_whole_ends_the_step_and_runs_no_other() -> None:
    seen: list[object] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("ended")
            raise

    def steps() -> Steps:
        yield wait, None, None
        seen.append("went on")

    call = run(steps)
    await turns()
    call.cancel()
    await turns()
    assert call.cancelled() and seen == ["ended"]


async def test_a_step_that_is_cancelled_cancels_the_whole() -> None:
    async def give_up() -> None:
        raise asyncio.CancelledError

    def steps() -> Steps:
        yield give_up, None, None

    call = run(steps)
    await turns()
    assert call.cancelled()


async def test_a_call_that_is_cancelled_by_its_own_step_is_no_error() -> None:
    calls: list[Future[object]] = []

    def steps() -> Steps:
        yield slowly, (1,), None
        calls[0].cancel()

    call = run(steps)
    assert isinstance(call, Future)
    calls.append(call)
    await turns()
    assert call.cancelled()
