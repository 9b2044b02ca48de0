"""Locks between processes: a file that one of them holds, let go of when that process ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_GLANCE = 0.01
"""Seconds between two attempts to take a lock."""


@contextmanager
def file_lock(path: Path, patience: float) -> Iterator[None]:
    """Hold the lock file of a path, made for that and removed after; threads exclude each other.

    `patience` is for how many seconds others may hold it.

    Raises:
        TimeoutError: they held it for longer.
        OSError: the file cannot be made.
    """
    until = time.monotonic() + patience
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            if try_lock(descriptor) and _is_at(descriptor, path):
                try:
                    yield
                finally:
                    # Before it is let go of: who waits for it sees that it is gone, and makes
                    # another one. Windows removes no open file: there it stays.
                    with suppress(OSError):
                        path.unlink()
                return
        finally:
            os.close(descriptor)
        if time.monotonic() >= until:
            raise TimeoutError("another process is changing it")
        time.sleep(_GLANCE)


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file, without waiting; return whether that could be done.

    Closing the file lets go of it.
    """
    try:
        # Imported where needed: each system has its own.
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            # A byte past all content: what is locked there cannot be read by others.
            os.lseek(descriptor, 1 << 20, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file still is the one of a path: who held it before may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False
