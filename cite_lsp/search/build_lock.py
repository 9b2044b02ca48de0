"""One build of a corpus at a time: a lock that ends with the process that holds it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cite_lsp.search.vectors import SearchIndexError

_FILE = "build.lock"


@contextmanager
def build_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a corpus; killing the process lets go of it.

    Raises:
        SearchIndexError: another process holds it, or the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / _FILE, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise SearchIndexError(
            f"{folder}: the corpus cannot be written ({error.strerror or error}); check the folder "
            "and its permissions"
        ) from error
    try:
        if not _locked(descriptor):
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
            who = f"process {holder}" if holder else "another process"
            raise SearchIndexError(
                f"{folder}: {who} is building this corpus; wait until it is done, then run the "
                "command again"
            )
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0) if hasattr(os, "pwrite") else None
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Take the lock of a file, without waiting; say whether that could be done."""
    try:
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
