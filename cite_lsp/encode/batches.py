"""Many batches of texts encoded, in whatever order they get done."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np

from cite_lsp.encode.encoder import Encoder, Vectors

Item = TypeVar("Item")
Result = TypeVar("Result")
_PART = 256
"""Texts encoded between two calls of `progress`."""


@runtime_checkable
class BatchEncoder(Protocol):
    """An encoder that works on several batches at a time."""

    def encode_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[tuple[int, Vectors]]:
        """Yield the number of each batch, from 0, and its vectors; every batch exactly once."""


def encode_batches(
    encoder: Encoder, batches: Iterable[Sequence[str]]
) -> Iterator[tuple[int, Vectors]]:
    """Yield the number of each batch, from 0, and its vectors, each as soon as it is done.

    The batches are drawn as they are needed: an encoder on this machine works on the next one while
    the last is made use of, one on several machines on as many as keep them busy.
    """
    if isinstance(encoder, BatchEncoder):
        yield from encoder.encode_batches(batches)
        return
    stopped = Event()
    encoded = ahead(
        batches, lambda texts: encoder.encode(texts, cancelled=stopped.is_set), stop=stopped.set
    )
    try:
        yield from enumerate(encoded)
    finally:
        encoded.close()


def encode_in_parts(
    encoder: Encoder, texts: Sequence[str], progress: Callable[[int], None]
) -> Vectors:
    """Encode texts, shape (len(texts), d); `progress` is called with how many more are done."""
    vectors = np.zeros((len(texts), encoder.dimensions), dtype=np.float32)
    for start in range(0, len(texts), _PART):
        part = texts[start : start + _PART]
        vectors[start : start + len(part)] = encoder.encode(part)
        progress(len(part))
    return vectors


def ahead(
    items: Iterable[Item], work: Callable[[Item], Result], stop: Callable[[], None] = lambda: None
) -> Generator[Result, None, None]:
    """Yield what `work` makes of each item; a thread makes the next one meanwhile.

    However this ends, `stop` is called, and what is being made is waited for.
    """
    pool = ThreadPoolExecutor(1, thread_name_prefix="ahead")
    under_way: Future[Result] | None = None
    try:
        for item in items:
            submitted = pool.submit(work, item)
            if under_way is not None:
                yield under_way.result()
            under_way = submitted
        if under_way is not None:
            yield under_way.result()
    finally:
        stop()
        pool.shutdown(cancel_futures=True)
