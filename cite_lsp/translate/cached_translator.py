"""A translator with a cache: no text is translated twice, in this process or in any other.

Translations are stored in one file per fingerprint, keyed by the hash of the text.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from cite_lsp import paths
from cite_lsp.storage.caches import CacheFile, LastUsed, Table
from cite_lsp.translate.translator import Check, Translator

_TABLE = Table("translations", "translations", "english", "TEXT")
_BATCH = 64
"""Texts translated between two writes: what a crash can lose."""
_IN_MEMORY = 4096
"""Translations held in memory; the least recently used go first."""


class CachedTranslator:
    """A translator in front of which a file stands; itself a `Translator`, safe to share.

    Args:
        translator: translates what is not cached.
        folder: where the file goes; by default `translations` in the user's cache folder.
        disk_size: translations stored on disk; the oldest go when the file is opened.
    """

    def __init__(
        self,
        translator: Translator,
        folder: Path | None = None,
        *,
        disk_size: int = 50_000,
    ) -> None:
        self.name = translator.name
        self.fingerprint = translator.fingerprint
        self._translator = translator
        self._memory: LastUsed[bytes, str] = LastUsed(_IN_MEMORY)
        self._writing = True
        where = folder if folder is not None else paths.cache_folder() / "translations"
        name = re.sub(r"[^A-Za-z0-9._-]", "_", self.fingerprint)
        self._file = CacheFile(where / f"{name}.sqlite", _TABLE, disk_size)

    def translate(self, texts: Sequence[str], *, check: Check | None = None) -> list[str]:
        """Return the translation of each text, from memory or the file where they have it.

        What `check` raises ends the work; what was translated before is cached.
        """
        keys = {text: hashlib.sha256(text.encode("utf-8", "replace")).digest() for text in texts}
        translations = self._recall(list(keys.values()))
        missing = [text for text, key in keys.items() if key not in translations]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            fresh = self._translator.translate(batch, check=check)
            translated = {keys[text]: english for text, english in zip(batch, fresh, strict=True)}
            if self._writing:
                self._file.write(translated.items())
            self._memory.keep_all(translated)
            translations |= translated
        return [translations[keys[text]] for text in texts]

    def without_writing(self) -> CachedTranslator:
        """Return this translator with the same memory and file, but adding nothing to the file.

        A sentence that a writer is typing is another one with every letter.
        """
        other = copy.copy(self)
        other._writing = False
        return other

    def close(self) -> None:
        """Close the file; the translator works on without it."""
        self._file.close()

    def _recall(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        cached = self._memory.known(keys)
        stored: dict[bytes, str] = self._file.read([key for key in keys if key not in cached])
        self._memory.keep_all(stored)
        return cached | stored


def open_translator(name: str) -> Translator:
    """Return a translator by its setting: "dictionary", or a Marian model by folder or name.

    Raises:
        TranslatorError: the model is not on this machine, or cannot be loaded.
    """
    # Imported where needed: an English draft needs no translator.
    from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

    if name == DictionaryTranslator.name:
        return shipped_translator()
    from cite_lsp.translate.marian import MarianTranslator, find_marian

    return CachedTranslator(MarianTranslator(find_marian(name)))
