"""How a training reports its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, how much is done, of how much; 0: not known)."""
Steps = Callable[[int, int], None]
"""Called with (how much is done, of how much)."""


def counting(progress: Progress, what: str, total: int = 0) -> Callable[[int], None]:
    """Return a function that takes how many more are done, and reports the sum of them."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(what, done, total)

    return advance
