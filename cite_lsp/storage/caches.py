"""Caches of what is computed from texts: in memory, or in a file on disk that servers share.

SQLite because several servers (one per editor, one per buffer in some) write at the same time and
any of them may be killed. A file is never worth an error: a damaged one is made anew, one that
cannot be written is done without.
"""

from __future__ import annotations

import contextlib
import logging
import os
import random
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from weakref import WeakKeyDictionary, WeakValueDictionary

from attrs import frozen

from cite_lsp.storage.atomic_write import discard, keep_for_user_alone

log = logging.getLogger(__name__)

K = TypeVar("K", bound=Hashable)
Owner = TypeVar("Owner")
T = TypeVar("T")

_KEYS_PER_QUERY = 500
"""Keys in one query; SQLite before 3.32 takes 999 parameters."""
_PATIENCE = 2.0
"""Seconds to wait for another process that writes."""
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")
"""Not a database, or not one with our table."""


def read_only(database: PurePath) -> str:
    r"""Return the address by which SQLite opens a database of an absolute path to read it.

    It knows no server, as `as_uri` names one for a path on the network (`\\server\share`).
    """
    path = database.as_posix()
    root = "" if path.startswith("/") else "/"
    return f"file://{root}{quote(os.fsencode(path), safe='/:')}?mode=ro"


class LastUsed(Generic[K, T]):
    """A cache of the values used last, by key; it holds at most `most`, or any number. Thread-safe.

    A few values are enough for requests that come with every letter typed.
    """

    def __init__(self, most: int | None = 8) -> None:
        self._most = most
        self._values: OrderedDict[K, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> T | None:
        """Return the value of a key, or None."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def known(self, keys: Iterable[K]) -> dict[K, T]:
        """Return the values of those keys that have one."""
        with self._lock:
            values = {key: self._values[key] for key in keys if key in self._values}
            for key in values:
                self._values.move_to_end(key)
        return values

    def keys(self) -> tuple[K, ...]:
        """Return the keys, that of the value used last at the end."""
        with self._lock:
            return tuple(self._values)

    def forget_unless(self, is_wanted: Callable[[K], bool]) -> None:
        """Forget the values of all keys but the wanted ones."""
        with self._lock:
            for key in [key for key in self._values if not is_wanted(key)]:
                del self._values[key]

    def keep(self, key: K, value: T) -> T:
        """Store a value and return it; the one that was not used for longest is dropped for it."""
        self.keep_all({key: value})
        return value

    def keep_all(self, values: Mapping[K, T]) -> None:
        """Store several values, as `keep` stores one."""
        with self._lock:
            for key, value in values.items():
                self._values[key] = value
                self._values.move_to_end(key)
            while self._most is not None and len(self._values) > self._most:
                self._values.popitem(last=False)


class ByObject(Generic[Owner, T]):
    """What was made of objects, each stored as long as its object is in use. Thread-safe."""

    def __init__(self) -> None:
        self._values: WeakKeyDictionary[Owner, T] = WeakKeyDictionary()
        self._lock = threading.RLock()  # making one may need that of another object

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Owner) -> T | None:
        """Return the value of an object, or None."""
        with self._lock:
            return self._values.get(key)

    def keep(self, key: Owner, value: T) -> T:
        """Store a value in the place of the one that its object had, and return it."""
        with self._lock:
            self._values[key] = value
        return value

    def setdefault(self, key: Owner, make: Callable[[], T]) -> T:
        """Return the value of an object, made now if it has none; others wait meanwhile."""
        with self._lock:
            value = self._values.get(key)
            if value is None:
                value = self._values[key] = make()
            return value


class Turns(Generic[K]):
    """A lock for every key, so that work on one key does not block another. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: WeakValueDictionary[K, threading.Lock] = WeakValueDictionary()

    def of(self, key: K) -> threading.Lock:
        """Return the lock to hold while the value of a key is looked up or computed.

        The lock is dropped once nobody holds it or waits for it.
        """
        with self._lock:
            turn = self._turns.get(key)
            if turn is None:
                turn = self._turns[key] = threading.Lock()
        return turn


@frozen
class Table:
    """The table of a cache file, with the columns text and `column`; the log calls it `name`.

    The names come from the code alone: statements are made of them (bandit's B608).

    Of a text only its hash is stored.
    """

    name: str
    table: str
    column: str
    kind: str

    @property
    def statements(self) -> tuple[str, ...]:
        """The SQL that creates the table in a new file."""
        return (
            "PRAGMA journal_mode=WAL",
            "PRAGMA synchronous=NORMAL",
            f"CREATE TABLE IF NOT EXISTS {self.table} (number INTEGER PRIMARY KEY,"
            f" text BLOB NOT NULL UNIQUE, {self.column} {self.kind} NOT NULL)",
        )


class CacheFile:
    """A cache in one file. Thread-safe; no method raises, faults are logged.

    When the file is opened, only the last `limit` rows of those added before stay.
    """

    def __init__(self, path: Path, table: Table, limit: int) -> None:
        self._path = path
        self._table = table
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._adding = True
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._connect(limit)
        except (sqlite3.Error, OSError) as error:
            self._drop(error)

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """Return the values of those keys that have one."""
        values: dict[bytes, Any] = {}
        select = f"SELECT text, {self._table.column} FROM {self._table.table} WHERE text IN"  # nosec B608
        with self._lock:
            try:
                for start in range(0, len(keys), _KEYS_PER_QUERY):
                    if self._connection is None:
                        break
                    batch = keys[start : start + _KEYS_PER_QUERY]
                    marks = ",".join("?" * len(batch))
                    values.update(self._connection.execute(f"{select} ({marks})", batch).fetchall())
            except sqlite3.Error as error:
                self._drop(error)
        return values

    def write(self, rows: Iterable[tuple[bytes, bytes | str]]) -> None:
        """Store values; each replaces the one that its key had before."""
        columns = f"{self._table.table} (text, {self._table.column})"
        with self._lock:
            if not (self._connection and self._adding):
                return
            try:
                with self._connection:
                    self._connection.executemany(
                        f"INSERT OR REPLACE INTO {columns} VALUES (?, ?)", rows
                    )
            except sqlite3.Error as error:
                self._drop(error)

    def close(self) -> None:
        """Close the file; from then on `read` returns nothing."""
        with self._lock:
            self._disconnect()

    def _connect(self, limit: int | None = None) -> None:
        keep_for_user_alone(self._path)
        connection = sqlite3.connect(self._path, timeout=_PATIENCE, check_same_thread=False)
        try:
            self._make_table(connection)
            if limit is not None:
                last = f"(SELECT max(rowid) FROM {self._table.table})"  # nosec B608
                with connection:
                    connection.execute(
                        f"DELETE FROM {self._table.table} WHERE rowid <= {last} - ?",  # nosec B608
                        (limit,),
                    )
        except sqlite3.Error:
            connection.close()
            raise
        self._connection, self._adding = connection, True

    def _make_table(self, connection: sqlite3.Connection) -> None:
        """Create the table, again where another process is at it: SQLite does not wait for that."""
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                for statement in self._table.statements:
                    connection.execute(statement)
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or time.monotonic() > end:
                    raise
                time.sleep(random.uniform(0.001, 0.02))  # nosec B311
            else:
                return

    def _connect_to_read(self) -> None:
        """Open the file for reading where nothing can be added: on a full disk, say.

        Raises:
            sqlite3.Error: it cannot be read either.
        """
        address = read_only(self._path.absolute())
        connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE, check_same_thread=False)
        try:
            select = f"SELECT text FROM {self._table.table} LIMIT 1"  # nosec B608
            connection.execute(select).fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        self._connection, self._adding = connection, False

    def _disconnect(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None

    def _drop(self, error: Exception) -> None:
        """Recover from a fault: replace a damaged file; add nothing more to any other."""
        fault, name = getattr(error, "sqlite_errorname", ""), self._table.name
        if _is_busy(error) and self._connection:
            log.debug("%s: busy, some %s were not kept", self._path, name)
            return
        self._disconnect()
        files = [self._path.with_name(self._path.name + suffix) for suffix in ("", "-wal", "-shm")]
        # An error without a name is Python's: what stands there is no text.
        no_text = isinstance(error, sqlite3.OperationalError) and not fault
        damaged = no_text or fault.startswith(_DAMAGED) or any(path.is_dir() for path in files)
        if not damaged:
            log.warning("%s: %s are not kept on disk (%s)", self._path, name, error)
            if self._adding:
                with contextlib.suppress(sqlite3.Error):
                    self._connect_to_read()
            return
        log.warning("%s: damaged, starting a new cache of %s (%s)", self._path, name, error)
        with contextlib.suppress(OSError, sqlite3.Error):
            for path in files:
                discard(path)
            self._connect()


def _is_busy(error: Exception) -> bool:
    fault: str = getattr(error, "sqlite_errorname", "")
    return fault.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
