"""What a context asks for, put where its papers lie: a linear map of the context's vectors.

The encoder places a sentence near texts that sound like it. What was cited there is not always such
a text, and a map learned from citations moves the query, not the papers: an index stays as it is.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Vectors

PARTS = 3
"""The near window, the wide window, the title of the draft."""
PLAIN = (1.0, 0.5, 0.2)
"""Weights of the three in the query that nothing was learned for."""


class QueryMapError(Exception):
    """A map cannot be read; the message says which, why and what to do."""


@frozen
class QueryMap:
    """query = normalise(Σ_p weights_p · x_p + Σ_p x_p M_p + bias) of the three vectors x_p.

    weights (3,), maps (3, d, d), bias (d,).
    """

    weights: NDArray[np.float32]
    maps: NDArray[np.float32]
    bias: NDArray[np.float32]

    @classmethod
    def open(cls, path: Path) -> QueryMap:
        """Read a saved map.

        Raises:
            QueryMapError: the file is missing, cut off or of another kind.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            arrays = load_file(path)
            parts = (arrays[name].astype(np.float32) for name in ("weights", "maps", "bias"))
            return cls(*parts)
        except (OSError, SafetensorError, KeyError) as error:
            raise QueryMapError(
                f"{path}: the query map cannot be read ({error}); reinstall cite-lsp"
            ) from error

    def save(self, path: Path) -> None:
        """Write the map to a file, in sixteen bits.

        Raises:
            OSError: it cannot be written.
        """
        from safetensors.numpy import save_file

        names = ("weights", "maps", "bias")
        save_file({name: getattr(self, name).astype(np.float16) for name in names}, path)

    def __call__(self, vectors: Vectors) -> Vectors:
        """Map the vectors of contexts, shape (…, 3, d), to queries of unit length, (…, d)."""
        mixed = np.einsum("...pd,p->...d", vectors, self.weights)
        mapped = np.einsum("...pd,pde->...e", vectors, self.maps, optimize=True)
        return unit(mixed + mapped + self.bias)


def plain_query(vectors: Vectors) -> Vectors:
    """Mix the vectors of contexts, shape (…, 3, d), by the weights `PLAIN`."""
    return unit(np.einsum("...pd,p->...d", vectors, np.array(PLAIN, dtype=np.float32)))


def unit(rows: NDArray[np.floating]) -> Vectors:
    """Return rows scaled to unit length; a zero row stays zero."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), dtype=np.float32)
