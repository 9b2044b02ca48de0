"""Many batches of texts encoded, in whatever order they get done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from cite_lsp.encode.encoder import Encoder, Vectors


@runtime_checkable
class BatchEncoder(Protocol):
    """An encoder that works on several batches at a time."""

    def encode_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[tuple[int, Vectors]]:
        """Yield the number of each batch, from 0, and its vectors; every batch exactly once."""


def encode_batches(
    encoder: Encoder, batches: Iterable[Sequence[str]]
) -> Iterator[tuple[int, Vectors]]:
    """Yield the number of each batch, from 0, and its vectors, each as soon as it is done.

    The batches are drawn as they are needed: an encoder on this machine takes one after the other,
    one on several machines as many as keep them busy.
    """
    if isinstance(encoder, BatchEncoder):
        yield from encoder.encode_batches(batches)
        return
    for number, texts in enumerate(batches):
        yield number, encoder.encode(texts)
