"""Open an SQLite database that another program keeps locked while it runs, and leave it untouched.

Nothing is locked or written beside the database. In the mode "write-ahead log" (WAL) the newest
changes stand in a second file (https://www.sqlite.org/wal.html), which SQLite reads only where it
may write to a third: there a copy of both is read.

A database may come from anybody (https://www.sqlite.org/security.html): what it computes itself is
not asked for, and neither steps nor rows nor values are without limit.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from cite_lsp.lazy_re import lazy_re
from cite_lsp.storage.caches import read_only
from cite_lsp.storage.regular_files import open_regular
from cite_lsp.storage.stamps import stamp, stamp_of

_MAGIC = b"SQLite format 3\0"
_LARGEST = 2_000_000_000
"""Bytes of a database with its log: what is copied has to fit beside it."""
_STEPS = 10_000
_PATIENCE = 12.0
"""Seconds; a library of 100,000 items takes half."""
_LONGEST_VALUE = 4_000_000
_MOST_CHARACTERS = 256_000_000
_ROW = 40
"""Characters that a value counts for however short it is."""
_TRIES = 4
"""How often both files are copied when one of them changes meanwhile."""


_COMPUTED = lazy_re(r"^\s*CREATE\s+VIRTUAL\b|\bAS\s*\(", re.IGNORECASE)


def write_ahead_log(database: Path) -> Path:
    """Return the file in which the newest changes of a database may stand."""
    return database.with_name(database.name + "-wal")


@contextmanager
def open_database(database: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for reading, with what stands in its log.

    The database as it was before the log is opened where the log cannot be copied, or changes all
    the time.

    Raises:
        sqlite3.Error, OSError, ValueError: it is not there, or no database.
    """
    _expect_database(database)
    with tempfile.TemporaryDirectory(prefix="cite-lsp-") as folder:
        copy = _copied(database, Path(folder)) if _has_log(database) else None
        with closing(_connected(database, copy)) as connection:
            _limit(connection)
            yield connection


def rows(
    database: sqlite3.Connection, query: str, *kinds: type[int] | type[str]
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows that a query finds, each value of its kind: a number, or a text ("" for NULL).

    Rows in which a number is none are left out.

    Raises:
        sqlite3.Error: it takes too long, or finds too much.
    """
    left = _MOST_CHARACTERS
    for row in database.execute(query):
        values = [
            _text(value) if kind is str else value for kind, value in zip(kinds, row, strict=True)
        ]
        left -= sum(len(value) for value in values if isinstance(value, str)) + _ROW * len(values)
        if left < 0:
            raise sqlite3.DataError("it holds too much")
        if all(isinstance(value, kind) for kind, value in zip(kinds, values, strict=True)):
            yield tuple(values)


def rows_if_present(
    database: sqlite3.Connection, query: str, *kinds: type[int] | type[str]
) -> list[tuple[Any, ...]]:
    """Return what `rows` yields, nothing where this version of the database lacks the table.

    Raises:
        sqlite3.Error: it finds too much.
    """
    try:
        return list(rows(database, query, *kinds))
    except sqlite3.OperationalError:
        return []


def computed_tables(database: sqlite3.Connection) -> set[str]:
    """Return the names, in lower case, of what looks like tables and is computed when read."""
    schema = database.execute("SELECT type, name, sql FROM sqlite_master")
    return {
        _text(name).lower()
        for kind, name, sql in schema
        if kind == "view" or _COMPUTED.search(_text(sql))
    }


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return "" if value is None else str(value)


def _expect_database(path: Path) -> None:
    with open_regular(path) as file:
        if (file.read(len(_MAGIC)) or b"") != _MAGIC:
            raise sqlite3.DatabaseError("file is not a database")
        size = os.fstat(file.fileno()).st_size
    if _has_log(path):
        with open_regular(write_ahead_log(path)) as log:
            size += os.fstat(log.fileno()).st_size
    if size > _LARGEST:
        raise sqlite3.DatabaseError(f"it is larger than {_LARGEST // 1_000_000_000} GB")


def _limit(connection: sqlite3.Connection) -> None:
    end = time.monotonic() + _PATIENCE

    def exhausted() -> bool:
        return time.monotonic() > end

    connection.set_progress_handler(exhausted, _STEPS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.text_factory = lambda data: data.decode("utf-8", errors="replace")
    connection.execute("PRAGMA trusted_schema = OFF")


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
            before = [stamp_of(os.stat(file)) for file in files]
            for source, target in files.items():
                shutil.copyfile(source, target)
            if [stamp(file) for file in files] == before:
                return copy
        except OSError:
            if not _has_log(database):  # it has been written into the database just now
                return None
    return None
