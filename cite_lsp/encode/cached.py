"""An encoder that remembers: no text is encoded twice, in this process or in any other.

Vectors are kept in one file per fingerprint, keyed by the hash of the text, in sixteen bits.
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
"""Texts whose keys are remembered: the markers of a draft, asked for at every place of it."""


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
        self._key = lru_cache(_KEYS)(partial(_key_of, reader_of(encoder), self.fingerprint))
        self._memory: LastUsed[bytes, Vectors] = LastUsed(remembered)
        self._writing = True
        self._file: CacheFile | None = None
        if on_disk:
            where = folder if folder is not None else paths.cache_folder() / "embeddings"
            self._file = CacheFile(where / _file_name(self.fingerprint), _TABLE, kept)

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
        """Return how the encoder reads a text, None where it does not tell; that is not kept."""
        return reading_of(self._encoder, text)

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
        if self._file:
            self._file.close()

    def _recall(self, keys: Collection[bytes]) -> dict[bytes, Vectors]:
        """Return the vectors that memory or disk know, by key."""
        found = self._memory.known(keys)
        if self._file:
            kept = self._whole(self._file.read([key for key in keys if key not in found]))
            self._memory.keep_all(kept)
            found |= kept
        return found

    def _whole(self, kept: Mapping[bytes, bytes]) -> dict[bytes, Vectors]:
        """Return the vectors of a file that are what was written: as long, and all of numbers."""
        size = self.dimensions * np.dtype(np.float16).itemsize
        keys = [key for key, packed in kept.items() if len(packed) == size]
        packed = np.frombuffer(b"".join(kept[key] for key in keys), dtype=np.float16)
        with np.errstate(invalid="ignore"):
            vectors = unit(packed.reshape(len(keys), self.dimensions))
        # One that is no number makes the sum none; to look at all of them costs ten times as much.
        found = zip(keys, vectors, np.isnan(vectors.sum(axis=1)), strict=True)
        return {key: vector for key, vector, damaged in found if not damaged}


def _key_of(reader_of_text: Callable[[str], str], own: str, text: str) -> bytes:
    """Return the key of a text; where another encoder reads it, with that one's fingerprint."""
    reader = reader_of_text(text)
    return _key(text if reader == own else f"{reader}\0{text}")


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _file_name(fingerprint: str) -> str:
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in fingerprint)
    return f"{safe[:80]}-{_key(fingerprint).hex()[:8]}.sqlite"
