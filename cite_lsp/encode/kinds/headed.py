"""The encoder that is a head on another one: a small map of its vectors, made unit length.

One training may teach where the papers of a context lie, another which papers are cited together:
each maps the same vectors, so that papers are embedded once for all of them, and an index that the
base has made need not be made anew. A head is a matrix; one that has hidden units adds to a vector
what a layer of them makes of it (He et al., "Deep residual learning", 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel
from cite_lsp.encode.description import on_other_weights, read_description
from cite_lsp.encode.encoder import Encoder, EncoderError, Vectors, unit
from cite_lsp.encode.kinds.static import read_table, write_table

Map = Callable[[NDArray[np.floating]], Vectors]
"""Makes unit vectors, (n, dimensions), of vectors of the base, (n, its dimensions)."""

KIND = "head"
"""What `config.json` of such a folder calls it."""
HEAD_FILE, HEAD = "head.safetensors", "head"
"""The file of the matrix, and its one tensor: dimensions of the base × dimensions, float16; of a
head with hidden units, hidden units × dimensions."""
HIDDEN_FILE, HIDDEN = "hidden.safetensors", "hidden"
"""The file of what makes hidden units, and its one tensor: dimensions of the base + 1 × hidden
units, float16. The last row is added."""


@frozen
class Network:
    """A head with h hidden units on vectors of d dimensions: v + max(0, v W + b) U.

    `hidden` holds W and, as its last row, b, shape (d + 1, h); `out` is U, shape (h, d).
    """

    hidden: NDArray[np.float32]
    out: NDArray[np.float32]

    def place(self, vectors: NDArray[np.floating]) -> Vectors:
        """Return what becomes of vectors, shape (n, d), of unit length again; of 0 that is 0."""
        inputs = np.asarray(vectors, dtype=np.float32)
        active = np.maximum(inputs @ self.hidden[:-1] + self.hidden[-1], 0)
        return unit(np.where(inputs.any(axis=1, keepdims=True), inputs + active @ self.out, 0))


@frozen
class HeadConfig:
    """What `config.json` of a head says: on which encoder it stands, by name and by checkpoint.

    `hidden` is how many hidden units it has.
    """

    kind: str
    name: str
    base: str
    base_checkpoint: str
    dimensions: int
    sha256: Mapping[str, str]
    licence: str = ""
    hidden: int = 0

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it cannot do without."""
        return (HIDDEN_FILE, HEAD_FILE) if self.hidden else (HEAD_FILE,)


class HeadedEncoder:
    """A base encoder and a matrix; itself an `Encoder`, safe to share.

    Raises:
        EncoderError: the folder holds no head, or one that stands on another encoder.
    """

    def __init__(self, folder: Path, base: Encoder) -> None:
        config = read_head_config(folder)
        head = read_head(folder, base.checkpoint, base.dimensions)
        self.base: Encoder = base
        self.name = config.name
        self.dimensions = config.dimensions
        self.checkpoint = config.sha256[HEAD_FILE][:16]
        self.fingerprint = "-".join([config.name, self.checkpoint[:12], base.fingerprint])
        self.place: Map = head.place
        """What becomes of vectors that the base has made, shape (n, dimensions)."""

    def encode(self, texts: Sequence[str], *, cancelled: Cancel | None = None) -> Vectors:
        """See `Encoder.encode`."""
        return self.place(self.base.encode(texts, cancelled=cancelled))


@frozen(eq=False)
class Head:
    """What a head makes of vectors; `matrix` is all that it is where it has no hidden units.

    The matrix has the shape (dimensions of the base, dimensions).
    """

    place: Map
    matrix: NDArray[np.float32] | None = None


def read_head(folder: Path, checkpoint: str, dimensions: int) -> Head:
    """Read the head in a folder, for vectors of so many dimensions by a checkpoint.

    Raises:
        EncoderError: there is none, it is for another checkpoint, or a file of it is broken.
    """
    config = read_head_config(folder)
    if checkpoint != config.base_checkpoint:
        raise on_other_weights(folder, config.base)

    def read(file: str, name: str, *shape: int) -> NDArray[np.float32]:
        matrix = read_table(folder / file, name).numbers.astype(np.float32)
        if matrix.shape != shape:
            raise EncoderError(
                f"{folder}: a head of {matrix.shape} for vectors of {dimensions}"
                f" dimensions, made {config.dimensions}; install it again"
            )
        return matrix

    if config.hidden:
        hidden = read(HIDDEN_FILE, HIDDEN, dimensions + 1, config.hidden)
        return Head(Network(hidden, read(HEAD_FILE, HEAD, config.hidden, config.dimensions)).place)
    matrix = read(HEAD_FILE, HEAD, dimensions, config.dimensions)
    return Head(lambda vectors: unit(np.asarray(vectors, dtype=np.float32) @ matrix), matrix)


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


def write_network(folder: Path, network: Network) -> None:
    """Write a head with hidden units into a folder, in sixteen bits.

    Raises:
        OSError: it cannot be written.
    """
    write_table(folder / HIDDEN_FILE, network.hidden, HIDDEN)
    write_table(folder / HEAD_FILE, network.out, HEAD)
