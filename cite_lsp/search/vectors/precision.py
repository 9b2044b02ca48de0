"""In how many bits the numbers of vectors are kept on disk: eight, or sixteen to be measured by.

Only directions count, so each row is stretched until its greatest number fills eight bits, and no
scale need be kept: a cosine moves by some 0.0005 at 384 dimensions, half of what bfloat16 costs.

Rows become floating-point numbers only as many at a time as stay in the cache of a processor: it
takes no longer than to keep them as such, in four times the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors, unit

Precision = Literal["i8", "f16"]

HalfVectors = NDArray[np.float16]
"""Row vectors, shape (n, dimensions), in sixteen bits."""
Codes = NDArray[np.int8] | HalfVectors
"""Row vectors as they are kept, shape (n, dimensions); their lengths mean nothing."""

TYPES: dict[Precision, np.dtype[np.generic]] = {
    "i8": np.dtype(np.int8),
    "f16": np.dtype(np.float16),
}
_GREATEST = 127.0
_ROWS_AT_ONCE = 512


def encoded(vectors: NDArray[np.generic], precision: Precision) -> Codes:
    """Return rows in a precision, shape (n, dimensions); rows of it already are returned as given.

    Floating rows may have any length; a zero row stays zero.
    """
    if vectors.dtype == TYPES[precision]:
        return vectors  # type: ignore[return-value]
    rows = unit(vectors)
    if precision == "f16":
        return rows.astype(np.float16)
    greatest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    scale = _GREATEST / np.where(greatest > 0, greatest, 1)
    return np.rint(rows * scale).astype(np.int8)


def products(codes: NDArray[np.int8], vector: Vectors) -> Vectors:
    """Return the scalar products of rows, taken as integers, and a vector, shape (n,)."""
    return np.concatenate([part.astype(np.float32) @ vector for part in _parts(codes)])


def cosines(codes: NDArray[np.int8], vector: Vectors) -> Vectors:
    """Return the cosines of rows and a unit vector, shape (n,); that of a zero row is 0."""
    return np.concatenate([unit(part) @ vector for part in _parts(codes)])


def _parts(codes: NDArray[np.int8]) -> Iterator[NDArray[np.int8]]:
    """Yield the rows in parts, one part even where there are none."""
    for start in range(0, max(len(codes), 1), _ROWS_AT_ONCE):
        yield codes[start : start + _ROWS_AT_ONCE]
