"""How the time that a reader takes for a pattern grows with the length of the text.

It is the time of the processor, which `re` takes most of: its steps cannot be counted. What takes
longer than a limit is stopped by a signal, which `re` heeds as well.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tests.chaos.patterns.readers import READERS
from tests.chaos.patterns.tokens import Pattern
from tests.growth import LINEAR, growth

_PLAIN = "Some words of a text, and more of them. "
_SHORTEST, _LONGEST = 2_000, 100_000
"""Characters of the texts that are read, at the least and the most."""
_PATIENCE = 200
"""How many times as long as plain text of the same length a pattern may take."""
_LEAST_LIMIT = 20.0
"""Seconds that any pattern may take: thousands of whole entries are more work than plain text."""


class _TooLongError(BaseException):
    """A reader is stopped: no handler of errors may take that for one of its own."""


def size_for(reader: str, seconds: float, folder: Path) -> int:
    """Return the characters of plain text that a reader takes about so many seconds for."""
    (folder / ".git").mkdir(exist_ok=True)  # the border of the project
    size = _SHORTEST
    READERS[reader](_PLAIN, folder)
    while size < _LONGEST:
        before = time.thread_time()
        READERS[reader](_PLAIN * (size // len(_PLAIN)), folder)
        if time.thread_time() - before > seconds:
            break
        size *= 2
    return size


def fault_of(
    pattern: Pattern, size: int, seconds: float, folder: Path, least_limit: float = _LEAST_LIMIT
) -> str:
    """Return what is wrong with how long a pattern takes; "" where that grows with its length.

    `seconds` are what the reader takes for plain text of that size, `least_limit` those that any
    pattern may take.
    """
    read = READERS[pattern.reader]

    def make(times: int) -> str:
        return pattern.text(times)

    def work(text: str) -> None:
        read(text, folder)

    times = max(size // len(pattern.piece), 16)
    try:
        with _limit(max(_PATIENCE * seconds, least_limit)):
            if growth(make, work, times) < LINEAR:
                return ""
            grown = growth(make, work, times)
    except _TooLongError:
        return f"{times * len(pattern.piece)} characters take more than the limit"
    return f"8 times the text takes {8 * grown:.0f} times as long" if grown >= LINEAR else ""


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Stop what takes longer than that, in seconds of the processor."""

    def stop(_: int, __: FrameType | None) -> None:
        raise _TooLongError

    before: Callable[[int, FrameType | None], object] | int | None = signal.signal(
        signal.SIGVTALRM, stop
    )
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
