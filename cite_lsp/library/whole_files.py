"""Files that are written whole or not at all, and on the disk before they take their name."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write a small file; readers see what was there before or what is there now.

    A file that is there keeps its permissions, a new one has those of any new file. Nothing else
    is left beside it, whether it can be written or not.

    Raises:
        OSError: it cannot be written.
    """
    scratch = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.new")
    try:
        with scratch.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            scratch.chmod(stat.S_IMODE(path.stat().st_mode))
        os.replace(scratch, path)
    except BaseException:
        with suppress(OSError):
            scratch.unlink()
        raise
