"""Whether a file has changed since it was read: its times, size and inode."""

from __future__ import annotations

import os
from pathlib import Path

Stamp = tuple[int, int, int, int] | None
"""Times of modification and of change in ns, size and inode of a file; None where there is none."""


def stamp(path: Path) -> Stamp:
    """Return a value that changes when a file, or the target of a link, is changed or replaced."""
    try:
        return stamp_of(os.stat(path))
    except (OSError, ValueError):
        return None


def stamp_of(status: os.stat_result) -> Stamp:
    """Return what `stamp` does of a file that was looked at.

    Programs that synchronise files set the time of modification back; nobody sets that of change.
    """
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
