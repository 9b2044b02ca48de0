"""An encoder with a cache: no text is encoded twice, in this process or in any other.

Vectors are stored in one file per fingerprint, keyed by the hash of the text, in sixteen bits.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from cite_lsp import paths
from cite_lsp.encode.model import (
    Cancel,
    Encoder,
    Reading,
    Vectors,
    reader_of,
    reading_of,
    unit,
)
from cite_lsp.storage.caches import CacheFile, LastUsed, Table

_TABLE = Table("embeddings", "vectors", "vector", "BLOB")
_BATCH = 64
"""Texts encoded between two writes: what a crash or a cancelled request can lose."""
_KEYS = 8192
"""Texts whose keys are cached: the markers of a draft, needed at every place of it."""


class CachedEncoder:
    """An encoder in front of which a cache stands; itself an `Encoder`, safe to share.

    Vectors come back rounded to sixteen bits and made unit length again, the same whether they
    were cached or are new: a ranking does not change when the cache warms up.

    Args:
        encoder: computes what is not cached.
        folder: where the files go; by default `embeddings` in the user's cache folder.
        memory_size: vectors held in memory; the least recently used go first.
        disk_size: vectors stored on disk; the oldest go when the file is opened.
        on_disk: whether to store any on disk: what a writer is typing is not worth a write.
    """

    def __init__(
        self,
        encoder: Encoder,
        folder: Path | None = None,
        *,
        memory_size: int = 10_000,
        disk_size: int = 200_000,
        on_disk: bool = True,
    ) -> None:
        self.name = encoder.name
        self.dimensions = encoder.dimensions
        self.fingerprint = encoder.fingerprint
        self.checkpoint = encoder.checkpoint
        self._encoder = encoder
        self._key = lru_cache(_KEYS)(partial(_key_of, reader_of(encoder), self.fingerprint))
        self._memory: LastUsed[bytes, Vectors] = LastUsed(memory_size)
        self._writing = True
        self._file: CacheFile | None = None
        if on_disk:
            where = folder if folder is not None else paths.cache_folder() / "embeddings"
            self._file = CacheFile(where / _file_name(self.fingerprint), _TABLE, disk_size)

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Cancel | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Vectors:
        """Encode texts into rows of shape (len(texts), dimensions); see `Encoder.encode`.

        Raises:
            Cancelled: `cancelled` returned true; what was encoded before is cached.
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
            if self._file and self._writing:
                self._file.write(zip(batch, map(bytes, packed), strict=True))
            made = dict(zip(batch, unit(packed), strict=True))
            for key, vector in made.items():
                vectors[rows[key]] = vector
            self._memory.keep_all(made)
            if progress:
                progress(sum(len(rows[key]) for key in batch))
        return vectors

    def reading(self, text: str) -> Reading | None:
        """Return how the encoder reads a text, None where it cannot give that; it is not cached."""
        return reading_of(self._encoder, text)

    def at_hand(self, texts: Sequence[str], most: int) -> tuple[Vectors, bool]:
        """Return the vectors of texts that are cached, and of at most so many that are not.

        The rows of the others are 0: for who cannot wait. Shape (len(texts), dimensions); with them
        whether that is all, and no text was left out.
        """
        left_out = set(self._missing(texts)[most:])
        vectors = self.encode(["" if text in left_out else text for text in texts])
        return vectors, not left_out

    def keeps(self, texts: Sequence[str]) -> bool:
        """Whether the vectors of all these texts are cached, so that none need be encoded."""
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
        if self._file:
            self._file.close()

    def _recall(self, keys: Collection[bytes]) -> dict[bytes, Vectors]:
        """Return the vectors that memory or disk know, by key."""
        known = self._memory.known(keys)
        if self._file:
            stored = self._whole(self._file.read([key for key in keys if key not in known]))
            self._memory.keep_all(stored)
            known |= stored
        return known

    def _whole(self, packed_by_key: Mapping[bytes, bytes]) -> dict[bytes, Vectors]:
        """Return the vectors of a file that are what was written: as long, and all of numbers."""
        size = self.dimensions * np.dtype(np.float16).itemsize
        keys = [key for key, packed in packed_by_key.items() if len(packed) == size]
        packed = np.frombuffer(b"".join(packed_by_key[key] for key in keys), dtype=np.float16)
        with np.errstate(invalid="ignore"):
            vectors = unit(packed.reshape(len(keys), self.dimensions))
        # One that is no number makes the sum none; to look at all of them costs ten times as much.
        checked = zip(keys, vectors, np.isnan(vectors.sum(axis=1)), strict=True)
        return {key: vector for key, vector, damaged in checked if not damaged}


def _key_of(reader_of_text: Callable[[str], str], own: str, text: str) -> bytes:
    """Return the key of a text; where another encoder reads it, with that one's fingerprint."""
    reader = reader_of_text(text)
    return _key(text if reader == own else f"{reader}\0{text}")


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _file_name(fingerprint: str) -> str:
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in fingerprint)
    return f"{safe[:80]}-{_key(fingerprint).hex()[:8]}.sqlite"
