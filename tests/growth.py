"""How work grows with the length of what it is given.

Most of the work of a parser is done within `re`, whose steps cannot be counted from outside. So it
is compared by the processor time of this thread, and never with a number of seconds: one long input
with several short ones that are as long together. Both take the same where work grows with the
length, on any machine, and what else the machine does slows both.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LINEAR = 3.0
"""What `growth` stays below where work grows with the length, with ample room for disturbances."""
_PARTS = 8
_ROUNDS = 8


def growth(make: Callable[[int], T], work: Callable[[T], object], size: int) -> float:
    """Return how much more work one input of a size is than eight of an eighth of the size.

    1 where work grows with the size, 8 where it grows with its square. It is the least of several
    rounds: a disturbance is not repeated in each of them. No two inputs are equal, so that nothing
    that is remembered of one shortens the work for another.
    """
    work(make(size // _PARTS))
    least = float(_PARTS)
    for attempt in range(_ROUNDS):
        short = [make(size // _PARTS + attempt * _PARTS + part + 1) for part in range(_PARTS)]
        long = make(sum(range(1, _PARTS + 1)) + size + attempt * _PARTS * _PARTS)
        least = min(least, _time(work, [long]) / max(_time(work, short), 1e-9))
        if least < LINEAR:
            break
    return least


def _time(work: Callable[[T], object], inputs: list[T]) -> float:
    collecting = gc.isenabled()
    gc.disable()
    try:
        before = time.thread_time()
        for given in inputs:
            work(given)
        return time.thread_time() - before
    finally:
        if collecting:
            gc.enable()
