"""Vectors on disk under the keys of their texts, so that no text is encoded twice.

A store is two files that grow together: keys and rows. One that a killed process left behind is
read as far as both are whole.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp.search.vectors.precision import TYPES, Codes, Precision, encoded

Keys = NDArray[np.bytes_]
"""Keys of texts, shape (n,), sixteen hexadecimal digits each."""

_KEY = np.dtype("S16")


def text_key(fingerprint: str, text: str) -> bytes:
    """Return the key of a text as one encoder reads it."""
    data = f"{fingerprint}\n{text}".encode("utf-8", "surrogatepass")
    # Hexadecimal, because numpy strips zero bytes from the end of byte strings.
    return hashlib.blake2b(data, digest_size=8).hexdigest().encode()


def key_array(keys: Sequence[bytes]) -> Keys:
    """Return keys as an array."""
    return np.array(keys, dtype=_KEY)


class StoredVectors:
    """The vectors of one store; one that does not exist is empty."""

    def __init__(self, stem: Path, dimensions: int, precision: Precision = "f16") -> None:
        """Open `stem.s16`, the keys, and `stem.i8` or `stem.f16`, the vectors, memory-mapped."""
        self.precision = precision
        self._keys_file = stem.with_suffix(".s16")
        self._vectors_file = stem.with_suffix(f".{precision}")
        self._row_size = dimensions * TYPES[precision].itemsize
        count = min(_size(self._keys_file) // _KEY.itemsize, self._vectors_size())
        keys = np.fromfile(self._keys_file, dtype=_KEY, count=count) if count else key_array([])
        self._order = np.argsort(keys, kind="stable")
        self.keys: Keys = keys[self._order]
        """All keys, in ascending order."""
        self.vectors: Codes = np.zeros((0, dimensions), dtype=TYPES[precision])
        """The vectors in the order in which they were added."""
        if count:
            shape = (count, dimensions)
            self.vectors = np.memmap(self._vectors_file, TYPES[precision], mode="r", shape=shape)

    def fill(self, rows: Codes, keys: Keys) -> None:
        """Put the vectors of the keys that are known into `rows`; the other rows stay."""
        if not len(self.keys):
            return
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        is_stored = self.keys[places] == keys
        rows[is_stored] = self.vectors[self._order[places[is_stored]]]

    def append(self, keys: Keys, vectors: NDArray[np.generic]) -> None:
        """Add vectors behind those on disk; a store opened from then on has them.

        Raises:
            OSError: they cannot be written.
        """
        count = min(_size(self._keys_file) // _KEY.itemsize, self._vectors_size())
        with self._vectors_file.open("ab") as file:
            file.truncate(count * self._row_size)
            file.write(encoded(vectors, self.precision).tobytes())
        with self._keys_file.open("ab") as file:  # last: a key promises its vector
            file.truncate(count * _KEY.itemsize)
            file.write(keys.tobytes())

    def remove(self) -> None:
        """Delete the files; the store is empty from then on."""
        # Windows deletes no file that is memory-mapped.
        self.keys, self._order = self.keys[:0], self._order[:0]
        self.vectors = np.zeros((0, self.vectors.shape[1]), dtype=self.vectors.dtype)
        for path in (self._keys_file, self._vectors_file):
            path.unlink(missing_ok=True)

    def _vectors_size(self) -> int:
        return _size(self._vectors_file) // self._row_size


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
