"""Running the handler of a message: at once, as a task, or in steps that are calls themselves.

A handler is a plain function, a coroutine function, or a generator function that yields other
handlers with their arguments and is sent what each returns: pygls's own are of the last kind, and
yield the handler that a feature registered.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

Handler = Callable[..., Any]
Steps = Generator[tuple[Handler, Sequence[Any] | None, Mapping[str, Any] | None], Any, Any]
Call = Future[Any] | asyncio.Future[Any]
"""What a handler returns, or raises, in the end. To cancel it ends the handler's work, too."""


def run(
    handler: Handler, args: Sequence[Any] | None = None, kwargs: Mapping[str, Any] | None = None
) -> Call:
    """Run a handler; the call is done already where the handler never waits.

    A coroutine begins in the next turn of the event loop.
    """
    whole: Future[Any] = Future()
    try:
        result = handler(*(args or ()), **(kwargs or {}))
    except Exception as error:
        whole.set_exception(error)
        return whole
    if inspect.iscoroutine(result):
        return asyncio.ensure_future(result)
    if isinstance(result, Generator):
        _advance(whole, result)
    else:
        whole.set_result(result)
    return whole


def _advance(whole: Future[Any], steps: Steps, step: Call | None = None) -> None:
    """Start the next step with what the last one returned; the last step ends the whole."""
    if step is not None and step.cancelled():
        whole.cancel()
    if whole.cancelled():
        steps.close()
        return
    try:
        next_call = steps.send(step.result() if step is not None else None)
    except StopIteration as end:
        if not whole.cancelled():
            whole.set_result(end.value)
    except Exception as error:
        if not whole.cancelled():
            whole.set_exception(error)
    else:
        call = run(*next_call)
        whole.add_done_callback(partial(_cancel_with, call))
        call.add_done_callback(partial(_advance, whole, steps))


def _cancel_with(step: Call, whole: Future[Any]) -> None:
    if whole.cancelled():
        step.cancel()
