"""An encoder with a cache: no text is encoded twice, in this process or in any other.

Vectors are stored in one file per fingerprint, keyed by the hash of the text, in sixteen bits.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from threading import Lock

import numpy as np

from cite_lsp import paths
from cite_lsp.cancelling import Cancel
from cite_lsp.encode.encoder import Encoder, TokenStates, Vectors, reader_of, reading_of, unit
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
        self._encoding_few = Lock()
        self._writing = True
        self._file: CacheFile | None = None
        if on_disk:
            where = folder if folder is not None else paths.cache_folder() / "embeddings"
            self._file = CacheFile(where / _file_name(self.fingerprint), _TABLE, disk_size)

    def encode(self, texts: Sequence[str], *, cancelled: Cancel | None = None) -> Vectors:
        """See `Encoder.encode`; what was encoded before it was cancelled is cached."""
        keys = self._keys(texts)
        vectors = self._recall(keys)
        missing = self._missing(texts, keys, vectors)
        for start in range(0, len(missing), _BATCH):
            batch = list(missing)[start : start + _BATCH]
            fresh = self._encoder.encode([missing[key] for key in batch], cancelled=cancelled)
            packed = fresh.astype(np.float16)
            if self._file and self._writing:
                self._file.write(zip(batch, map(bytes, packed), strict=True))
            computed = dict(zip(batch, unit(packed), strict=True))
            self._memory.keep_all(computed)
            vectors |= computed
        return self._in_rows(keys, vectors)

    def reading(self, text: str) -> TokenStates | None:
        """Return how the encoder reads a text, None where it cannot give that; it is not cached."""
        return reading_of(self._encoder, text)

    def at_hand(self, texts: Sequence[str], most: int) -> tuple[Vectors, bool]:
        """Return the vectors of texts that are cached, and of at most so many that are not.

        The rows of the others are 0: for who cannot wait. Shape (len(texts), dimensions); with them
        whether that is all, and no text was left out. Who comes while another encodes a few, often
        the same ones, gets what is cached.
        """
        keys = self._keys(texts)
        vectors = self._recall(keys)
        missing = self._missing(texts, keys, vectors)
        if missing and self._encoding_few.acquire(blocking=False):
            try:
                batch = dict(islice(missing.items(), most))
                vectors |= zip(batch, self.encode(list(batch.values())), strict=True)
            finally:
                self._encoding_few.release()
        elif missing:
            most = 0
        return self._in_rows(keys, vectors), len(missing) <= most

    def keeps(self, texts: Sequence[str]) -> bool:
        """Whether the vectors of all these texts are cached, so that none need be encoded."""
        keys = self._keys(texts)
        return not self._missing(texts, keys, self._recall(keys))

    def _keys(self, texts: Sequence[str]) -> list[bytes | None]:
        """Return the key of each text, None for a blank one, whose vector is 0."""
        return [self._key(text) if text.strip() else None for text in texts]

    def _missing(
        self,
        texts: Sequence[str],
        keys: Sequence[bytes | None],
        vectors: Mapping[bytes, Vectors],
    ) -> dict[bytes, str]:
        pairs = zip(keys, texts, strict=True)
        return {key: text for key, text in pairs if key is not None and key not in vectors}

    def _in_rows(self, keys: Sequence[bytes | None], vectors: Mapping[bytes, Vectors]) -> Vectors:
        """Return the vector of each key, shape (len(keys), dimensions), 0 where there is none."""
        none = np.zeros(self.dimensions, dtype=np.float32)
        rows = [none if key is None else vectors.get(key, none) for key in keys]
        return np.concatenate(rows or [none[:0]]).reshape(len(keys), self.dimensions)

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

    def _recall(self, keys: Iterable[bytes | None]) -> dict[bytes, Vectors]:
        distinct = [key for key in dict.fromkeys(keys) if key is not None]
        cached = self._memory.known(distinct)
        if self._file and len(cached) < len(distinct):
            stored = self._whole(self._file.read([key for key in distinct if key not in cached]))
            self._memory.keep_all(stored)
            cached |= stored
        return cached

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


def _key_of(reader_of_text: Callable[[str], str], fingerprint: str, text: str) -> bytes:
    """Return the key of a text; where another encoder reads it, with that one's fingerprint."""
    reader = reader_of_text(text)
    return _key(text if reader == fingerprint else f"{reader}\0{text}")


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _file_name(fingerprint: str) -> str:
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in fingerprint)
    return f"{safe[:80]}-{_key(fingerprint).hex()[:8]}.sqlite"
