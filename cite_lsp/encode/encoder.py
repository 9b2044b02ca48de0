"""What an encoder is: text in, unit vectors out, wherever it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel
from cite_lsp.errors import CiteLspError

Vectors = NDArray[np.float32]
"""Row vectors, shape (n, dimensions), float32, unit length (an empty text gives a zero row)."""


def unit(rows: NDArray[np.generic]) -> Vectors:
    """Return rows of any type as unit vectors, along the last axis; a zero row stays zero."""
    numbers = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(numbers, axis=-1, keepdims=True)
    return np.asarray(numbers / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def well_formed(text: str) -> str:
    """Return a text with "?" for lone surrogates, which a broken buffer has and no model reads."""
    return text.encode("utf-8", "replace").decode("utf-8")


Tokens = NDArray[np.int64]
"""Numbers of tokens in the vocabulary of an encoder, shape (q,)."""


@frozen(eq=False)
class TokenStates:
    """A text as an encoder reads it: its tokens (q,), and their states before pooling (q, d)."""

    tokens: Tokens
    states: NDArray[np.float32]


class EncoderError(CiteLspError):
    """An encoder cannot be loaded; the message says which, why, and what to do, in one line."""


class Encoder(Protocol):
    """A sentence encoder.

    `fingerprint` changes whenever the vectors of a text would, however little: caches are keyed
    by it. `checkpoint` names the weights alone: vectors of equal `checkpoint` may be compared with
    each other even where one side was computed in int8 on a CPU and the other in bf16 on a GPU.
    """

    name: str
    dimensions: int
    fingerprint: str
    checkpoint: str

    def encode(self, texts: Sequence[str], *, cancelled: Cancel | None = None) -> Vectors:
        """Encode texts, in the order given, into rows of shape (len(texts), dimensions).

        `cancelled` is called between batches.

        Raises:
            Cancelled: `cancelled` returned true.
        """


def reader_of(encoder: Encoder) -> Callable[[str], str]:
    """Return the function that gives the fingerprint behind the vector of a text.

    It is the encoder's own, but for an encoder that hands some texts to another one.
    """
    method: Callable[[str], str] | None = getattr(encoder, "fingerprint_of", None)
    return method if method is not None else lambda text: encoder.fingerprint


def reading_of(encoder: Encoder, text: str) -> TokenStates | None:
    """Return how an encoder reads a text, None where it cannot give that."""
    method: Callable[[str], TokenStates | None] | None = getattr(encoder, "reading", None)
    return method(text) if method is not None else None
