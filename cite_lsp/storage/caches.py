"""What was made of texts and is kept: in memory the last used, on disk a file that many may share.

SQLite because several servers (one per editor, one per buffer in some) write at the same time and
any of them may be killed. A file is never worth an error: a damaged one is made anew, one that
cannot be written is done without.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from weakref import WeakKeyDictionary, WeakValueDictionary

from attrs import frozen

log = logging.getLogger(__name__)

K = TypeVar("K", bound=Hashable)
Owner = TypeVar("Owner")
T = TypeVar("T")

_ASKED_AT_ONCE = 500
"""Keys in one query; SQLite before 3.32 takes 999 parameters."""
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
    """What was used last, by key; at most so many. Thread-safe.

    A few answers are enough for what is asked letter by letter.
    """

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._kept: OrderedDict[K, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> T | None:
        """Return what is kept of a key, or None."""
        return self.known([key]).get(key)

    def known(self, keys: Iterable[K]) -> dict[K, T]:
        """Return what is kept of these keys."""
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
        return found

    def keep(self, key: K, value: T) -> None:
        """Keep something; what was not used for longest is forgotten for it."""
        self.keep_all({key: value})

    def keep_all(self, made: Mapping[K, T]) -> None:
        """Keep several things as `keep` does one."""
        with self._lock:
            for key, value in made.items():
                self._kept[key] = value
                self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


class Memory(Generic[K, T]):
    """What is kept by key until it is forgotten. Thread-safe."""

    def __init__(self) -> None:
        self._kept: dict[K, T] = {}
        self._lock = threading.Lock()

    def get(self, key: K) -> T | None:
        """Return what is kept of a key, or None."""
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: K, value: T) -> T:
        """Keep something in the place of what was kept of its key, and return it."""
        with self._lock:
            self._kept[key] = value
        return value

    def forget_unless(self, wanted: Callable[[K], bool]) -> None:
        """Forget what is kept of all keys but the wanted ones."""
        with self._lock:
            self._kept = {key: value for key, value in self._kept.items() if wanted(key)}


class ByObject(Generic[Owner, T]):
    """What was made of objects, each kept as long as its object is in use. Thread-safe."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[Owner, T] = WeakKeyDictionary()
        self._lock = threading.RLock()  # making one may ask for that of another object

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Owner) -> T | None:
        """Return what is kept of an object, or None."""
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: Owner, value: T) -> T:
        """Keep something in the place of what was kept of its object, and return it."""
        with self._lock:
            self._kept[key] = value
        return value

    def setdefault(self, key: Owner, make: Callable[[], T]) -> T:
        """Return what is kept of an object, made now where nothing is; others wait meanwhile."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = make()
            return found


class Turns(Generic[K]):
    """A lock for every key: who makes one thing keeps nobody from another. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: WeakValueDictionary[K, threading.Lock] = WeakValueDictionary()

    def of(self, key: K) -> threading.Lock:
        """Return what to hold while the thing of a key is looked up or made.

        It is forgotten once nobody holds it or waits for it.
        """
        with self._lock:
            turn = self._turns.get(key)
            if turn is None:
                turn = self._turns[key] = threading.Lock()
        return turn


@frozen
class Table:
    """What a file keeps: `name` in the log, and in it a table with the columns text and `column`.

    The text is known by its hash alone.
    """

    name: str
    table: str
    column: str
    kind: str

    @property
    def statements(self) -> tuple[str, ...]:
        """What makes the table of a new file."""
        return (
            "PRAGMA journal_mode=WAL",
            "PRAGMA synchronous=NORMAL",
            f"CREATE TABLE IF NOT EXISTS {self.table} (number INTEGER PRIMARY KEY,"
            f" text BLOB NOT NULL UNIQUE, {self.column} {self.kind} NOT NULL)",
        )


class CacheFile:
    """One file. Thread-safe; no method raises, faults are logged.

    Of what was added before the last `kept` stay when the file is opened.
    """

    def __init__(self, path: Path, table: Table, kept: int) -> None:
        self._path = path
        self._table = table
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._adding = True
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connect(kept)
        except (sqlite3.Error, OSError) as error:
            self._drop(error)

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """Return what is kept of these keys."""
        found: dict[bytes, Any] = {}
        select = f"SELECT text, {self._table.column} FROM {self._table.table} WHERE text IN"
        with self._lock:
            try:
                for start in range(0, len(keys), _ASKED_AT_ONCE):
                    if self._connection is None:
                        break
                    asked = keys[start : start + _ASKED_AT_ONCE]
                    marks = ",".join("?" * len(asked))
                    found.update(self._connection.execute(f"{select} ({marks})", asked).fetchall())
            except sqlite3.Error as error:
                self._drop(error)
        return found

    def write(self, made: Iterable[tuple[bytes, bytes | str]]) -> None:
        """Add something, or put it in the place of what was there."""
        columns = f"{self._table.table} (text, {self._table.column})"
        with self._lock:
            if not (self._connection and self._adding):
                return
            try:
                with self._connection:
                    self._connection.executemany(
                        f"INSERT OR REPLACE INTO {columns} VALUES (?, ?)", made
                    )
            except sqlite3.Error as error:
                self._drop(error)

    def close(self) -> None:
        """Close the file; it is empty to whoever asks it from then on."""
        with self._lock:
            self._disconnect()

    def _connect(self, kept: int | None = None) -> None:
        connection = sqlite3.connect(self._path, timeout=2, check_same_thread=False)
        try:
            for statement in self._table.statements:
                connection.execute(statement)
            if kept is not None:
                last = f"(SELECT max(rowid) FROM {self._table.table})"
                with connection:
                    connection.execute(
                        f"DELETE FROM {self._table.table} WHERE rowid <= {last} - ?", (kept,)
                    )
        except sqlite3.Error:
            connection.close()
            raise
        self._connection, self._adding = connection, True

    def _connect_to_read(self) -> None:
        """Go on with what is kept where nothing can be added: on a full disk, say.

        Raises:
            sqlite3.Error: it cannot be read either.
        """
        address = read_only(self._path.absolute())
        connection = sqlite3.connect(address, uri=True, timeout=2, check_same_thread=False)
        try:
            connection.execute(f"SELECT text FROM {self._table.table} LIMIT 1").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        self._connection, self._adding = connection, False

    def _disconnect(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None

    def _drop(self, error: Exception) -> None:
        """Get over a fault: a damaged file is made anew, to any other nothing more is added."""
        fault, name = getattr(error, "sqlite_errorname", ""), self._table.name
        if fault.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) and self._connection:
            log.debug("%s: busy, some %s were not kept", self._path, name)
            return
        self._disconnect()
        if not fault.startswith(_DAMAGED):
            log.warning("%s: %s are not kept on disk (%s)", self._path, name, error)
            if self._adding:
                with contextlib.suppress(sqlite3.Error):
                    self._connect_to_read()
            return
        log.warning("%s: damaged, starting a new cache of %s (%s)", self._path, name, error)
        with contextlib.suppress(OSError, sqlite3.Error):
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._connect()
