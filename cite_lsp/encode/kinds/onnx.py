"""The encoder that runs everywhere: onnxruntime on the CPU, fast to start, one thread by default.

Texts are run one by one, not in batches. Measured, a batch is no faster on a CPU (padding eats the
gain), and the activations of an int8 graph are scaled by the largest value of the whole batch, so
that a text's vector would depend on its neighbours (cosine 0.995 to itself). Throughput comes from
several texts in flight, each on a thread of its own, the long ones first.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.checkpoints import (
    ENCODER_FILES,
    OWN_TABLE,
    OWN_TABLE_FILE,
    STATES,
    TABLE,
    TABLE_FILE,
    VECTORS,
    read_config,
)
from cite_lsp.encode.description import SharingDescription, located
from cite_lsp.encode.encoder import EncoderError, TokenStates, Vectors, well_formed
from cite_lsp.encode.kinds.onnx_session import InferenceSession, open_session
from cite_lsp.encode.kinds.static import read_table
from cite_lsp.encode.tokens.chinese import CHINESE, spaced_around_signs
from cite_lsp.encode.tokens.tokenizer import load_tokenizer, with_bounds
from cite_lsp.storage.caches import LastUsed

_AT_ONCE = 1024
"""Texts cut into tokens, sorted by length and handed to the threads together."""
_FOR_ANOTHER_THREAD = 8
"""Texts that are worth starting one for."""
_BETWEEN_LOOKS = 32
"""Texts encoded between two looks at `cancelled`."""
_CACHED_READINGS = 8
"""Texts whose reading is cached: whoever needs it has just encoded them."""


class OnnxEncoder:
    """A checkpoint as exported by `cite_lsp.train.run.export`, run by onnxruntime.

    Safe to share between threads. `threads` is how many texts are encoded at a time: 1 leaves the
    machine to the writer, more is for indexing. Texts longer than `max_tokens` are cut.

    Raises:
        EncoderError: the folder does not hold such a checkpoint, or its files are damaged.
    """

    def __init__(self, folder: Path, *, threads: int = 1, max_tokens: int | None = None) -> None:
        config = read_config(folder)
        self.name = config.name
        self.dimensions = config.dimensions
        self.checkpoint = config.source_sha256[:16]
        self.max_tokens = min(max_tokens or config.max_tokens, config.max_tokens)
        graph, rules = ENCODER_FILES
        sums = [config.vectors[:12], config.sha256[rules][:12]]
        self.fingerprint = "-".join([config.name, *sums, str(self.max_tokens)])
        self._prefix = config.prefix
        self._threads = max(1, threads)
        self._tokenizer = load_tokenizer(located(folder, rules, config.sha256, config.base))
        vocabulary = self._tokenizer.vocabulary.keys() if config.words == CHINESE else None
        self._cut = (
            (lambda text: spaced_around_signs(text, vocabulary)) if vocabulary is not None else str
        )
        self.session = _load_session(located(folder, graph, config.sha256, config.base))
        """What runs it; public so that its own speed can be measured."""
        self._inputs = {node.name: node.shape for node in self.session.get_inputs()}
        self._tables = tables_of(folder, config, self._inputs)
        for name, table in self._tables.items():
            if list(table.shape) != self._inputs[name]:
                raise EncoderError(
                    f"{folder}: a table of {table.shape} for a graph that reads one of"
                    f" {tuple(self._inputs[name])}; install the checkpoint again"
                )
        self._reads = STATES in {output.name for output in self.session.get_outputs()}
        self._readings: LastUsed[str, TokenStates] = LastUsed(_CACHED_READINGS)

    def encode(self, texts: Sequence[str], *, cancelled: Cancel | None = None) -> Vectors:
        """See `Encoder.encode`."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        threads = min(self._threads, len(texts) // _FOR_ANOTHER_THREAD)
        if threads <= 1:
            for row, text in enumerate(texts):
                stop_if(cancelled)
                vectors[row] = self._vector(text)
            return vectors
        with _workers(threads) as pool:
            for start in range(0, len(texts), _AT_ONCE):
                batch = texts[start : start + _AT_ONCE]
                tokens = self._tokens(batch)
                order = sorted(range(len(batch)), key=lambda row: -len(tokens[row]))
                computed = pool.map(self._run, (tokens[row] for row in order))
                for done, (row, vector) in enumerate(zip(order, computed, strict=True), 1):
                    vectors[start + row] = vector
                    if done % _BETWEEN_LOOKS == 0:
                        stop_if(cancelled)
        return vectors

    def reading(self, text: str) -> TokenStates | None:
        """Return how a text is read; None of an empty one, or where the graph has no states."""
        if not self._reads or not text.strip():
            return None
        reading = self._readings.get(text)
        return reading if reading is not None else self._read(text)[1]

    def _vector(self, text: str) -> Vectors:
        if not text.strip():
            return np.zeros(self.dimensions, dtype=np.float32)
        return self._read(text)[0] if self._reads else self._run(self._ids(text))

    def _read(self, text: str) -> tuple[Vectors, TokenStates]:
        ids = self._ids(text)
        vectors, states = self.session.run([VECTORS, STATES], self._feed(ids))
        reading = TokenStates(np.array(ids, dtype=np.int64), states[0])
        self._readings.keep(text, reading)
        return vectors[0], reading

    def _ids(self, text: str) -> list[int]:
        return with_bounds(self._tokenizer, [self._written(text)], self.max_tokens)[0]

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of texts; none of one that is empty."""
        encoder_texts = [self._written(text) for text in texts]
        read = with_bounds(self._tokenizer, encoder_texts, self.max_tokens)
        return [ids if text.strip() else [] for ids, text in zip(read, texts, strict=True)]

    def _written(self, text: str) -> str:
        return self._prefix + self._cut(well_formed(text))

    def feeds(self, texts: Sequence[str]) -> list[dict[str, NDArray[Any]]]:
        """Return what the session is fed for texts that are not empty, the longest first."""
        tokens = sorted(filter(None, self._tokens(texts)), key=len, reverse=True)
        return [self._feed(ids) for ids in tokens]

    def _run(self, ids: list[int]) -> Vectors:
        if not ids:
            return np.zeros(self.dimensions, dtype=np.float32)
        vector: Vectors = self.session.run([VECTORS], self._feed(ids))[0][0]
        return vector

    def _feed(self, ids: list[int]) -> dict[str, NDArray[Any]]:
        tokens = np.array([ids], dtype=np.int64)
        feed: dict[str, NDArray[Any]] = {"input_ids": tokens, **self._tables}
        if "attention_mask" in self._inputs:
            feed["attention_mask"] = np.ones_like(tokens)
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(tokens)
        return feed


def tables_of(
    folder: Path, config: SharingDescription, inputs: Container[str]
) -> Mapping[str, NDArray[np.uint8]]:
    """Return the tables of word vectors that the graph of an encoder is given, by its `inputs`.

    Raises:
        EncoderError: one of them is missing or damaged.
    """
    return {
        name: word_vectors(folder, config, file, name)
        for file, name in ((TABLE_FILE, TABLE), (OWN_TABLE_FILE, OWN_TABLE))
        if name in inputs
    }


def word_vectors(
    folder: Path, config: SharingDescription, file: str = TABLE_FILE, name: str = TABLE
) -> NDArray[np.uint8]:
    """Return a table of word vectors of an encoder whose graph has none, (tokens, dimensions).

    It is mapped into memory, and once for all that share it. The graph reads the rows of a text
    where they lie; nothing is copied.

    Raises:
        EncoderError: there is no such table, or it is damaged.
    """
    path = located(folder, file, config.sha256, config.base)
    try:
        state = path.stat()
    except OSError as error:
        raise EncoderError(f"{path}: missing; install the checkpoint again") from error
    return _mapped(path.resolve(), name, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4)
def _mapped(path: Path, name: str, size: int, changed: int) -> NDArray[np.uint8]:
    """Map a table into memory; its size and when it was changed tell one from that before it."""
    numbers: NDArray[np.uint8] = np.asarray(read_table(path, name).numbers)
    if numbers.dtype != np.uint8:
        raise EncoderError(f"{path}: a table of {numbers.dtype}, not uint8; install it again")
    return numbers


@contextmanager
def _workers(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Lend threads; however the work with them ends, what has not begun is called off."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="encode")
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _load_session(path: Path) -> InferenceSession:
    session = open_session(path)
    if VECTORS not in {output.name for output in session.get_outputs()}:
        raise EncoderError(
            f"{path}: has no output named {VECTORS}; export the original checkpoint with"
            " python -m cite_lsp.train.run.export"
        )
    return session
