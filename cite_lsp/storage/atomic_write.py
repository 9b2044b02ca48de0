"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_RETRY_SECONDS = 2.0 if os.name == "nt" else 0.0
"""Seconds to wait while others read the file to be replaced: Windows refuses it meanwhile."""
_RETRY_INTERVAL = 0.01


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a scratch file beside `path` to write, which takes that name where all went well.

    Readers see what was there before or what is there now; nothing else is left beside it.

    Raises:
        OSError: it cannot take the name.
    """
    scratch = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.new")
    try:
        yield scratch
        take_name(scratch, path)
    except BaseException:
        with suppress(OSError):
            scratch.unlink()
        raise


def take_name(scratch: Path, path: Path) -> None:
    """Let what was written under one name take another, in one step.

    Raises:
        OSError: it cannot.
    """
    until = time.monotonic() + _RETRY_SECONDS
    while True:
        try:
            os.replace(scratch, path)
            return
        except PermissionError:
            if time.monotonic() >= until:
                raise
            time.sleep(_RETRY_INTERVAL)


def for_user_alone(path: str, flags: int) -> int:
    """Open a file that nobody else may read: an `opener` for `open`."""
    return os.open(path, flags, 0o600)


def write_atomically(path: Path, text: str) -> None:
    """Write a small file whole or not at all, and onto the disk before it takes its name.

    A file that is there keeps its permissions, a new one has those of any new file.

    Raises:
        OSError: it cannot be written.
    """
    with replacing(path) as scratch:
        with scratch.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            scratch.chmod(stat.S_IMODE(path.stat().st_mode))
