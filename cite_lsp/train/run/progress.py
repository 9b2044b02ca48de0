"""How a training tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Told (what is being done, how much is done, of how much; 0: not known)."""
Steps = Callable[[int, int], None]
"""Told of one thing (how much is done, of how much)."""
