"""A translator that remembers: no text is translated twice, in this process or in any other.

Translations are kept in one SQLite file per fingerprint. The file is never worth an error: a
damaged one, or one that cannot be written, is done without.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import logging
import re
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path

from cite_lsp import paths
from cite_lsp.translate.translator import Check, Translator

log = logging.getLogger(__name__)

_ASKED_AT_ONCE = 500
"""Keys in one query; SQLite before 3.32 takes 999 parameters."""
_BATCH = 64
"""Texts translated between two writes: what a crash can lose."""
_TABLE = "CREATE TABLE IF NOT EXISTS translations (text BLOB PRIMARY KEY, english TEXT NOT NULL)"
_TOO_OLD = "DELETE FROM translations WHERE rowid <= (SELECT max(rowid) FROM translations) - ?"


class CachedTranslator:
    """A translator in front of which a file stands; itself a `Translator`, safe to share.

    Args:
        translator: translates what is not kept.
        folder: where the file goes; by default `translations` in the user's cache folder.
        remembered: translations held in memory; the least recently used go first.
        kept: translations kept on disk; the oldest go when the file is opened.
    """

    def __init__(
        self,
        translator: Translator,
        folder: Path | None = None,
        *,
        remembered: int = 4096,
        kept: int = 50_000,
    ) -> None:
        self.name = translator.name
        self.fingerprint = translator.fingerprint
        self._translator = translator
        self._memory: OrderedDict[bytes, str] = OrderedDict()
        self._remembered = remembered
        self._lock = threading.Lock()
        self._writing = True
        where = folder if folder is not None else paths.cache_folder() / "translations"
        name = re.sub(r"[^A-Za-z0-9._-]", "_", self.fingerprint)
        self._store = _Store(where / f"{name}.sqlite", kept)

    def translate(self, texts: Sequence[str], *, check: Check | None = None) -> list[str]:
        """Return the translation of each text, from memory or the file where they have it.

        What `check` raises ends the work; what was translated before is kept.
        """
        keys = {text: hashlib.sha256(text.encode("utf-8", "replace")).digest() for text in texts}
        known = self._recall(list(keys.values()))
        missing = [text for text, key in keys.items() if key not in known]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            fresh = self._translator.translate(batch, check=check)
            made = {keys[text]: english for text, english in zip(batch, fresh, strict=True)}
            if self._writing:
                self._store.write(made)
            self._remember(made)
            known |= made
        return [known[keys[text]] for text in texts]

    def without_writing(self) -> CachedTranslator:
        """Return this translator with the same memory and file, but adding nothing to the file.

        A sentence that a writer is typing is another one with every letter.
        """
        other = copy.copy(self)
        other._writing = False
        return other

    def close(self) -> None:
        """Close the file; the translator works on without it."""
        self._store.close()

    def _recall(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """Return the translations that memory or disk know, by key."""
        with self._lock:
            found = {key: self._memory[key] for key in keys if key in self._memory}
        kept = self._store.read([key for key in keys if key not in found])
        self._remember(found | kept)
        return found | kept

    def _remember(self, made: Mapping[bytes, str]) -> None:
        with self._lock:
            for key, english in made.items():
                self._memory[key] = english
                self._memory.move_to_end(key)
            while len(self._memory) > self._remembered:
                self._memory.popitem(last=False)


class _Store:
    """The file of one fingerprint. No method raises; faults are logged."""

    def __init__(self, path: Path, kept: int) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            opened = sqlite3.connect(path, timeout=2, check_same_thread=False)
            with contextlib.ExitStack() as failed:
                failed.callback(opened.close)
                opened.execute("PRAGMA journal_mode=WAL")
                opened.execute(_TABLE)
                failed.pop_all()
            self._connection = opened
            with opened:
                opened.execute(_TOO_OLD, (kept,))
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def read(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        found: dict[bytes, str] = {}
        with self._lock:
            for start in range(0, len(keys), _ASKED_AT_ONCE):
                asked = keys[start : start + _ASKED_AT_ONCE]
                query = (
                    "SELECT text, english FROM translations"
                    f" WHERE text IN ({','.join('?' * len(asked))})"
                )
                try:
                    if self._connection is not None:
                        found.update(self._connection.execute(query, asked).fetchall())
                except sqlite3.Error as error:
                    self._give_up(error)
        return found

    def write(self, made: Mapping[bytes, str]) -> None:
        with self._lock:
            try:
                if self._connection is not None:
                    with self._connection:
                        self._connection.executemany(
                            "INSERT OR IGNORE INTO translations VALUES (?, ?)", made.items()
                        )
            except sqlite3.Error as error:
                self._give_up(error)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _give_up(self, error: Exception) -> None:
        """Do without the file; of one that another process writes to right now, only this once."""
        fault = getattr(error, "sqlite_errorname", "")
        if fault.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) and self._connection is not None:
            log.debug("%s: busy, some translations were not kept", self._path)
            return
        log.warning("%s: translations are not kept (%s); delete the file", self._path, error)
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


def open_translator(name: str) -> Translator:
    """Return a translator by its setting: "dictionary", or a Marian model by folder or name.

    Raises:
        TranslatorError: the model is not on this machine, or cannot be loaded.
    """
    from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

    if name == DictionaryTranslator.name:
        return shipped_translator()
    from cite_lsp.translate.marian import MarianTranslator, find_marian

    return CachedTranslator(MarianTranslator(find_marian(name)))
