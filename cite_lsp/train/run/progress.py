"""How a training tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Told (what is being done, how much is done, of how much; 0: not known)."""
Steps = Callable[[int, int], None]
"""Told of one thing (how much is done, of how much)."""


def counting(progress: Progress, what: str, total: int = 0) -> Callable[[int], None]:
    """Return what is told of each few that are done, and tells how many of `total` are in all."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(what, done, total)

    return advance
