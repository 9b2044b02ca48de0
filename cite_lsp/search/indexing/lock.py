"""One build of a corpus at a time: a lock that ends with the process that holds it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cite_lsp.search.vectors.vector_index import SearchIndexError
from cite_lsp.storage.atomic_write import discard
from cite_lsp.storage.file_lock import try_lock

_FILE = "build.lock"
_POLL_SECONDS = 0.25
"""Seconds between two looks whether the other process is done."""


@contextmanager
def build_lock(folder: Path, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock of a corpus; killing the process lets go of it.

    Where another process holds it, `waiting` is called with a message and that process is waited
    for; without `waiting` it is an error.

    Raises:
        SearchIndexError: another process holds it, or the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / _FILE).is_dir():
            discard(folder / _FILE)
        descriptor = os.open(folder / _FILE, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise SearchIndexError(
            f"{folder}: the corpus cannot be written ({error.strerror or error}); check the folder "
            "and its permissions"
        ) from error
    try:
        reported = ""
        while not try_lock(descriptor):
            holder = os.pread(descriptor, 32, 0) if hasattr(os, "pread") else b""
            who = f"process {holder.decode('ascii', 'replace')}" if holder else "another process"
            busy = f"{folder}: {who} is building this corpus"
            if waiting is None:
                raise SearchIndexError(
                    f"{busy}; wait until it is done, then run the command again, or add --wait"
                )
            if busy != reported:
                waiting(f"{busy}; waiting until it is done")
                reported = busy
            time.sleep(_POLL_SECONDS)
        with suppress(OSError):  # a full disk, which the build will report
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0) if hasattr(os, "pwrite") else None
        yield
    finally:
        os.close(descriptor)
