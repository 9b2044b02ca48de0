"""The encoder that is a head on another one: a linear map of its vectors, made unit length.

One training may teach where the papers of a context lie, another which papers are cited together:
each is a matrix on the same vectors, so that papers are embedded once for all of them, and an index
that the base has made need not be made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.description import read_description
from cite_lsp.encode.model import Cancel, Encoder, EncoderError, Vectors, unit
from cite_lsp.encode.static import read_table, write_table

KIND = "head"
"""What `config.json` of such a folder calls it."""
HEAD_FILE, HEAD = "head.safetensors", "head"
"""The file of the matrix, and its one tensor: dimensions of the base × dimensions, float16."""


@frozen
class HeadConfig:
    """What `config.json` of a head says: on which encoder it stands, by name and by checkpoint."""

    kind: str
    name: str
    base: str
    base_checkpoint: str
    dimensions: int
    sha256: Mapping[str, str]
    licence: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it cannot do without."""
        return (HEAD_FILE,)


class HeadedEncoder:
    """A base encoder and a matrix; itself an `Encoder`, safe to share.

    Raises:
        EncoderError: the folder holds no head, or one that stands on another encoder.
    """

    def __init__(self, folder: Path, base: Encoder) -> None:
        config = read_head_config(folder)
        if base.checkpoint != config.base_checkpoint:
            raise EncoderError(
                f"{folder}: a head for other weights of {config.base} than those installed;"
                " install what it was trained on, or train it again"
            )
        self.base: Encoder = base
        self.name = config.name
        self.dimensions = config.dimensions
        self.checkpoint = config.sha256[HEAD_FILE][:16]
        self.fingerprint = "-".join([config.name, self.checkpoint[:12], base.fingerprint])
        self._matrix = read_table(folder / HEAD_FILE, HEAD).numbers.astype(np.float32)
        if self._matrix.shape != (base.dimensions, config.dimensions):
            raise EncoderError(
                f"{folder}: a head of {self._matrix.shape} for vectors of {base.dimensions}"
                f" dimensions, made {config.dimensions}; install it again"
            )

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Cancel | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Vectors:
        """Encode texts into rows of shape (len(texts), dimensions); see `Encoder.encode`.

        Raises:
            Cancelled: `cancelled` said so.
        """
        return self.place(self.base.encode(texts, cancelled=cancelled, progress=progress))

    def place(self, vectors: NDArray[np.floating]) -> Vectors:
        """Return what becomes of vectors that the base has made, shape (n, dimensions)."""
        return unit(np.asarray(vectors, dtype=np.float32) @ self._matrix)


def read_head_config(folder: Path) -> HeadConfig:
    """Read the `config.json` of a head.

    Raises:
        EncoderError: it is missing or not what it should be.
    """
    return read_description(folder, HeadConfig, kind=KIND, called="a head", remedy="train it again")


def write_head(path: Path, matrix: NDArray[np.floating]) -> None:
    """Write the matrix of a head, (dimensions of the base, dimensions), in sixteen bits.

    Raises:
        OSError: it cannot be written.
    """
    write_table(path, matrix, HEAD)
