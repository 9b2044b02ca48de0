"""How work is called off whose answer nobody wants any more: it asks between steps, and stops."""

from __future__ import annotations

from collections.abc import Callable

Cancel = Callable[[], bool]
"""Returns whether the caller no longer wants the answer."""


class Cancelled(Exception):
    """The caller no longer wants the answer."""


def stop_if(cancelled: Cancel | None) -> None:
    """Stop where the caller no longer wants the answer.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    if cancelled is not None and cancelled():
        raise Cancelled
