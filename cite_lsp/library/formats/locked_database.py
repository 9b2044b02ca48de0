"""Open an SQLite database that another program keeps locked while it runs, and leave it untouched.

Nothing is locked or written beside the database. In the mode "write-ahead log" (WAL) the newest
changes stand in a second file (https://www.sqlite.org/wal.html), which SQLite reads only where it
may write to a third: there a copy of both is read.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from cite_lsp.storage.caches import read_only

_TRIES = 4
"""How often both files are copied when one of them changes meanwhile."""


def write_ahead_log(database: Path) -> Path:
    """Return the file in which the newest changes of a database may stand."""
    return database.with_name(database.name + "-wal")


@contextmanager
def opened(database: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for reading, with what stands in its log.

    The database as it was before the log is opened where the log cannot be copied, or changes all
    the time.

    Raises:
        sqlite3.Error, OSError, ValueError: it is not there, or no database.
    """
    with tempfile.TemporaryDirectory(prefix="cite-lsp-") as folder:
        copy = _copied(database, Path(folder)) if _has_log(database) else None
        with closing(_connected(database, copy)) as connection:
            yield connection


def _connected(database: Path, copy: Path | None) -> sqlite3.Connection:
    if copy is not None:
        return sqlite3.connect(copy)
    # As if nobody wrote to it: no lock is asked for.
    return sqlite3.connect(f"{read_only(database.absolute())}&immutable=1", uri=True)


def _has_log(database: Path) -> bool:
    try:
        return os.stat(write_ahead_log(database)).st_size > 0
    except OSError:
        return False


def _copied(database: Path, folder: Path) -> Path | None:
    """Return a copy of a database and its log of one moment, None where there is none."""
    copy = folder / "copy.sqlite"
    files = {database: copy, write_ahead_log(database): write_ahead_log(copy)}
    for _ in range(_TRIES):
        try:
            before = _states(files)
            for source, target in files.items():
                shutil.copyfile(source, target)
            if _states(files) == before:
                return copy
        except OSError:
            if not _has_log(database):  # it has been written into the database just now
                return None
    return None


def _states(files: dict[Path, Path]) -> list[tuple[int, int, int]]:
    states = map(os.stat, files)
    return [(state.st_mtime_ns, state.st_size, state.st_ino) for state in states]
