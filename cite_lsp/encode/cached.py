"""An encoder that remembers: no text is encoded twice, in this process or in any other.

Vectors are kept in one SQLite file per fingerprint, keyed by the hash of the text, in sixteen
bits. SQLite because several servers (one per editor, one per buffer in some) write at the same
time and any of them may be killed. The cache is never worth an error: a damaged file is dropped,
one that cannot be written is done without.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import logging
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp import paths
from cite_lsp.encode.model import Cancel, Encoder, Vectors, reader_of

_log = logging.getLogger(__name__)

_Packed = NDArray[np.float16]

_BATCH = 64
"""Texts encoded between two writes: what a crash or a cancelled request can lose."""

_ASKED_AT_ONCE = 500
"""Keys in one query; SQLite before 3.32 takes 999 parameters."""

_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")
"""Not a database, or not one with our table."""

_STATEMENTS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "CREATE TABLE IF NOT EXISTS vectors "
    "(number INTEGER PRIMARY KEY, text BLOB NOT NULL UNIQUE, vector BLOB NOT NULL)",
)


class CachedEncoder:
    """An encoder in front of which a cache stands; itself an `Encoder`, safe to share.

    Vectors come back rounded to sixteen bits and made unit length again, the same whether they
    were kept or are new: a ranking does not change when the cache warms up.

    Args:
        encoder: computes what is not kept.
        folder: where the files go; by default `embeddings` in the user's cache folder.
        remembered: vectors held in memory; the least recently used go first.
        kept: vectors kept on disk; the oldest go when the file is opened.
        on_disk: whether to keep any on disk: what a writer is typing is not worth a write.
    """

    def __init__(
        self,
        encoder: Encoder,
        folder: Path | None = None,
        *,
        remembered: int = 10_000,
        kept: int = 200_000,
        on_disk: bool = True,
    ) -> None:
        self.name = encoder.name
        self.dimensions = encoder.dimensions
        self.fingerprint = encoder.fingerprint
        self.checkpoint = encoder.checkpoint
        self._encoder = encoder
        self._reader = reader_of(encoder)
        self._remembered = remembered
        self._memory: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = threading.Lock()
        self._writing = True
        self._store: _Store | None = None
        if on_disk:
            where = folder if folder is not None else paths.cache_folder() / "embeddings"
            self._store = _Store(where / _file_name(self.fingerprint), self.dimensions, kept)

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Cancel | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Vectors:
        """Encode texts into rows of shape (len(texts), dimensions); see `Encoder.encode`.

        Raises:
            Cancelled: `cancelled` said so; what was encoded before is kept.
        """
        rows: dict[bytes, list[int]] = {}
        for row, text in enumerate(texts):
            if text.strip():
                rows.setdefault(self._key(text), []).append(row)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        known = self._recall(rows)
        for key, vector in known.items():
            vectors[rows[key]] = vector
        missing = [key for key in rows if key not in known]
        if progress and len(missing) < len(texts):
            progress(len(texts) - sum(len(rows[key]) for key in missing))
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            fresh = self._encoder.encode(
                [texts[rows[key][0]] for key in batch], cancelled=cancelled
            )
            packed = fresh.astype(np.float16)
            if self._store and self._writing:
                self._store.write(zip(batch, packed, strict=True))
            for key, vector in zip(batch, _unpack(packed), strict=True):
                vectors[rows[key]] = vector
                self._remember(key, vector)
            if progress:
                progress(sum(len(rows[key]) for key in batch))
        return vectors

    def _key(self, text: str) -> bytes:
        """Return the key of a text; where another encoder reads it, with that one's fingerprint."""
        reader = self._reader(text)
        return _key(text if reader == self.fingerprint else f"{reader}\0{text}")

    def at_hand(self, texts: Sequence[str], most: int) -> tuple[Vectors, bool]:
        """Return the vectors of texts that are kept, and of at most so many that are not.

        The rows of the others are 0: for who cannot wait. Shape (len(texts), dimensions); with them
        whether that is all, and no text was left out.
        """
        left_out = set(self._missing(texts)[most:])
        vectors = self.encode(["" if text in left_out else text for text in texts])
        return vectors, not left_out

    def keeps(self, texts: Sequence[str]) -> bool:
        """Whether the vectors of all these texts are kept, so that none need be encoded."""
        return not self._missing(texts)

    def _missing(self, texts: Sequence[str]) -> list[str]:
        keys = {text: self._key(text) for text in texts if text.strip()}
        known = self._recall(dict.fromkeys(keys.values()))
        return [text for text, key in keys.items() if key not in known]

    def without_writing(self) -> CachedEncoder:
        """Return this encoder with the same memory and file, but adding nothing to the file.

        What a writer is typing right now is not worth a write a keystroke.
        """
        other = copy.copy(self)
        other._writing = False
        return other

    def close(self) -> None:
        """Close the file; the encoder works on without it."""
        if self._store:
            self._store.close()

    def _recall(self, keys: Iterable[bytes]) -> dict[bytes, Vectors]:
        """Return the vectors that memory or disk know, by key."""
        found: dict[bytes, Vectors] = {}
        elsewhere = []
        with self._lock:
            for key in keys:
                vector = self._memory.get(key)
                if vector is None:
                    elsewhere.append(key)
                else:
                    self._memory.move_to_end(key)
                    found[key] = vector
        kept = self._store.read(elsewhere) if self._store else {}
        if kept:
            unpacked = _unpack(np.stack(list(kept.values())))
            for key, vector in zip(kept, unpacked, strict=True):
                found[key] = vector
                self._remember(key, vector)
        return found

    def _remember(self, key: bytes, vector: Vectors) -> None:
        with self._lock:
            self._memory[key] = vector
            self._memory.move_to_end(key)
            while len(self._memory) > self._remembered:
                self._memory.popitem(last=False)


class _Store:
    """The file of one fingerprint: keys to float16 rows. No method raises; faults are logged."""

    def __init__(self, path: Path, dimensions: int, kept: int) -> None:
        self._path = path
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._adding = True
        self._open(kept)

    def read(self, keys: Sequence[bytes]) -> dict[bytes, _Packed]:
        found: dict[bytes, _Packed] = {}
        remaining = iter(keys)
        with self._lock:
            try:
                while self._connection and (asked := list(islice(remaining, _ASKED_AT_ONCE))):
                    marks = ",".join("?" * len(asked))
                    query = f"SELECT text, vector FROM vectors WHERE text IN ({marks})"
                    for key, packed in self._connection.execute(query, asked):
                        found[key] = self._row(packed)
            except (sqlite3.Error, ValueError) as error:
                self._drop(error)
        return found

    def write(self, items: Iterable[tuple[bytes, _Packed]]) -> None:
        rows = [(key, vector.tobytes()) for key, vector in items]
        with self._lock:
            if not (self._connection and self._adding):
                return
            try:
                with self._connection:
                    self._connection.executemany(
                        "INSERT OR IGNORE INTO vectors (text, vector) VALUES (?, ?)", rows
                    )
            except sqlite3.Error as error:
                self._drop(error)

    def close(self) -> None:
        with self._lock:
            if self._connection:
                self._connection.close()
                self._connection = None

    def _row(self, packed: bytes) -> _Packed:
        row = np.frombuffer(packed, dtype=np.float16)
        if row.shape != (self._dimensions,):
            raise ValueError(f"a vector of {row.size} numbers where {self._dimensions} belong")
        return row

    def _open(self, kept: int) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connect(kept)
        except (sqlite3.Error, OSError) as error:
            self._drop(error)

    def _connect(self, kept: int | None = None) -> None:
        connection = sqlite3.connect(self._path, timeout=2, check_same_thread=False)
        try:
            for statement in _STATEMENTS:
                connection.execute(statement)
            if kept is not None:
                with connection:
                    connection.execute(
                        "DELETE FROM vectors WHERE number <= (SELECT max(number) FROM vectors) - ?",
                        (kept,),
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
        address = f"{self._path.absolute().as_uri()}?mode=ro"
        connection = sqlite3.connect(address, uri=True, timeout=2, check_same_thread=False)
        try:
            connection.execute("SELECT text, vector FROM vectors LIMIT 1").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        self._connection, self._adding = connection, False

    def _drop(self, error: Exception) -> None:
        """Get over a fault: a damaged file is made anew, to any other nothing more is added."""
        fault = getattr(error, "sqlite_errorname", "")
        if fault.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) and self._connection:
            _log.debug("%s: busy, some embeddings were not kept", self._path)
            return
        if self._connection:
            self._connection.close()
            self._connection = None
        if not isinstance(error, ValueError) and not fault.startswith(_DAMAGED):
            _log.warning("%s: embeddings are not kept on disk (%s)", self._path, error)
            if self._adding:
                with contextlib.suppress(sqlite3.Error):
                    self._connect_to_read()
            return
        _log.warning("%s: damaged, starting a new cache of embeddings (%s)", self._path, error)
        with contextlib.suppress(OSError, sqlite3.Error):
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._connect()


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _file_name(fingerprint: str) -> str:
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in fingerprint)
    return f"{safe[:80]}-{_key(fingerprint).hex()[:8]}.sqlite"


def _unpack(packed: _Packed) -> Vectors:
    vectors = packed.astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)
