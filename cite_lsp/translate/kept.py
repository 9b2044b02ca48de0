"""A translator that remembers: no text is translated twice, in this process or in any other.

Translations are kept in one SQLite file per fingerprint. The file is never worth an error: a
damaged one, or one that cannot be written, is done without.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from cite_lsp import paths
from cite_lsp.translate.translator import Translator

log = logging.getLogger(__name__)

_ASKED_AT_ONCE = 500
"""Keys in one query; SQLite before 3.32 takes 999 parameters."""
_BATCH = 64
"""Texts translated between two writes: what a crash can lose."""
_TABLE = "CREATE TABLE IF NOT EXISTS translations (text BLOB PRIMARY KEY, english TEXT NOT NULL)"


class CachedTranslator:
    """A translator in front of which a file stands; itself a `Translator`, safe to share."""

    def __init__(self, translator: Translator, folder: Path | None = None) -> None:
        """Take the translator, and the folder of the file: `translations` in the user's cache."""
        self.name = translator.name
        self.fingerprint = translator.fingerprint
        self._translator = translator
        where = folder if folder is not None else paths.cache_folder() / "translations"
        self._path = where / f"{re.sub(r'[^A-Za-z0-9._-]', '_', self.fingerprint)}.sqlite"
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        try:
            where.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path, timeout=2, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute(_TABLE)
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def translate(self, texts: Sequence[str]) -> list[str]:
        """Return the translation of each text, from the file where it has it."""
        keys = {text: hashlib.sha256(text.encode("utf-8", "replace")).digest() for text in texts}
        known = self._read(list(keys.values()))
        missing = [text for text, key in keys.items() if key not in known]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            fresh = self._translator.translate(batch)
            made = {keys[text]: english for text, english in zip(batch, fresh, strict=True)}
            self._write(made)
            known |= made
        return [known[keys[text]] for text in texts]

    def close(self) -> None:
        """Close the file; the translator works on without it."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, str]:
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

    def _write(self, made: Mapping[bytes, str]) -> None:
        with self._lock:
            try:
                if self._connection is not None:
                    with self._connection:
                        self._connection.executemany(
                            "INSERT OR IGNORE INTO translations VALUES (?, ?)", made.items()
                        )
            except sqlite3.Error as error:
                self._give_up(error)

    def _give_up(self, error: Exception) -> None:
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
