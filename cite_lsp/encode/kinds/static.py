"""The encoder without a network: a text is the sum of the vectors of its words, made unit length.

One row of a table a token, looked up and added: a hundred times faster than a transformer, at some
cost in quality (Arora et al., "A simple but tough-to-beat baseline for sentence embeddings", 2017).
How much a word counts is the length of its row. `cite_lsp.train.encoders.static_encoder` makes such
a table from a teacher, `cite_lsp.train.encoders.cross_lingual` one for Chinese texts.

A linear map may lead from there to the space of the teacher. Then papers embedded by the table are
found by queries that the teacher embeds, which are better than queries by the table, and all that
was learned for vectors of the teacher can be used with them (docs/research/evaluation.md has
figures).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.description import located, read_description
from cite_lsp.encode.encoder import EncoderError, Tokens, Vectors, unit
from cite_lsp.encode.tokens.chinese import CHINESE, spaced
from cite_lsp.encode.tokens.tokenizer import load_tokenizer
from cite_lsp.storage.compressed_files import content, is_packed

KIND = "static"
"""What `config.json` of such a folder calls it."""
STATIC_FILES = ("model.safetensors", "tokenizer.json")
TABLE, SCALES = "embeddings", "scales"
"""The tensors of `model.safetensors`: tokens of the vocabulary × dimensions, float16 or int8; and,
for int8, the number that each row is multiplied by, float16."""
MAP_FILE, MAP = "space.safetensors", "map"
"""The file of the map to the teacher's space, and its one tensor: dimensions × teacher's."""

_KINDS: Mapping[str, np.dtype[Any]] = {
    "F16": np.dtype("<f2"),
    "I8": np.dtype(np.int8),
    "U8": np.dtype(np.uint8),
}
_BATCH = 256
"""Texts encoded between two looks at `cancelled`."""
_MANY = 512
"""Texts from which on it pays to widen the table to 32 bits, which numbers are added in."""
_LENGTH_OF_HEADER = 8
_LARGEST_HEADER = 1 << 20


@frozen
class StaticConfig:
    """What `config.json` of a static encoder says.

    `sha256` maps file names of the folder to their checksums, `teacher` is the fingerprint of the
    encoder whose vectors it was fitted to, `space` that one's checkpoint where a map leads there.
    `words` is how texts are cut before the tokenizer sees them (`CHINESE`, or "" for not at all).
    `base` is the encoder in whose folder the files lie that are missing here.
    """

    kind: str
    name: str
    dimensions: int
    max_tokens: int
    sha256: Mapping[str, str]
    teacher: str = ""
    licence: str = ""
    space: str = ""
    words: str = ""
    base: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it cannot do without."""
        return (*STATIC_FILES, MAP_FILE) if self.space else STATIC_FILES


@frozen
class VectorTable:
    """Rows of numbers: `numbers` (tokens, dimensions), and `scales` (tokens,) if they are int8."""

    numbers: NDArray[Any]
    scales: NDArray[np.float16] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Return (tokens, dimensions)."""
        return self.numbers.shape

    def sum(self, rows: Sequence[int]) -> Vectors:
        """Return the sum of rows, shape (dimensions,)."""
        numbers = self.numbers.take(rows, axis=0)
        if self.scales is None:
            return np.asarray(numbers.sum(axis=0, dtype=np.float32))
        scales = self.scales[rows].astype(np.float32)
        return np.asarray(scales @ numbers.astype(np.float32), dtype=np.float32)

    def in_memory(self) -> VectorTable:
        """Return the table for many texts: of sixteen bits twice the memory, four times the speed.

        Rows of eight bits stay as they are.
        """
        return VectorTable(self.numbers.astype(np.float32)) if self.scales is None else self


class StaticEncoder:
    """A table of token vectors, memory-mapped unless compressed. Safe to share between threads.

    Texts longer than `max_tokens` are cut.

    Raises:
        EncoderError: the folder does not hold such an encoder, or its files are damaged.
    """

    def __init__(self, folder: Path, *, max_tokens: int | None = None) -> None:
        config = read_static_config(folder)
        self.name = config.name
        self.checkpoint = config.space or config.sha256[STATIC_FILES[0]][:16]
        self.max_tokens = min(max_tokens or config.max_tokens, config.max_tokens)
        sums = [config.sha256[file][:12] for file in config.files]
        self.fingerprint = "-".join([config.name, *sums, str(self.max_tokens)])
        self._table = read_table(located(folder, STATIC_FILES[0], config.sha256, config.base))
        self._map = read_table(folder / MAP_FILE, MAP).numbers if config.space else None
        rules = located(folder, STATIC_FILES[1], config.sha256, config.base)
        self._tokenizer = load_tokenizer(rules)
        vocabulary = self._tokenizer.vocabulary.keys() if config.words == CHINESE else None
        self._cut = (lambda text: spaced(text, vocabulary)) if vocabulary is not None else str
        words = len(self._tokenizer.vocabulary)
        if self._table.shape != (words, config.dimensions):
            raise EncoderError(
                f"{folder}: a table of {self._table.shape} for {words} tokens of"
                f" {config.dimensions} dimensions; install the checkpoint again"
            )
        self.vocabulary = words
        """How many tokens there are."""
        self.dimensions = config.dimensions if self._map is None else self._map.shape[1]

    def encode(self, texts: Sequence[str], *, cancelled: Cancel | None = None) -> Vectors:
        """See `Encoder.encode`."""
        if len(texts) > _MANY and self._table.numbers.dtype == np.float16:
            self._table = self._table.in_memory()
        table = self._table
        vectors = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            stop_if(cancelled)
            batch = texts[start : start + _BATCH]
            for row, ids in enumerate(self.tokens(batch), start):
                if ids:
                    vectors[row] = table.sum(ids)
        if self._map is not None:
            vectors = unit(vectors) @ self._map.astype(np.float32)
        return unit(vectors)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the tokens of each text, special ones left out."""
        return self._tokenizer.pieces([self._cut(text) for text in texts], self.max_tokens)

    def words(self, tokens: Tokens) -> Vectors:
        """Return unit vectors of tokens as they stand in the table, shape (…) to (…, w)."""
        return unit(self._table.numbers[tokens])


def read_static_config(folder: Path) -> StaticConfig:
    """Read the `config.json` of a static encoder.

    Raises:
        EncoderError: it is missing or not what it should be.
    """
    return read_description(
        folder,
        StaticConfig,
        kind=KIND,
        called="a static encoder",
        remedy="install the checkpoint again",
    )


def read_table(path: Path, name: str = TABLE) -> VectorTable:
    """Memory-map the one matrix of a safetensors file; of a table, shape (tokens, dimensions).

    One that is compressed is read into memory. The format: eight bytes with the length of the
    header, a JSON header, the numbers.

    Raises:
        EncoderError: the file is missing, cut off, or holds something else.
    """
    try:
        data: NDArray[np.uint8] = (
            np.frombuffer(content(path), np.uint8)
            if is_packed(path)
            else np.memmap(path, np.uint8, mode="r")
        )
        length = int.from_bytes(data[:_LENGTH_OF_HEADER].tobytes(), "little")
        if not 0 < length <= _LARGEST_HEADER:
            raise ValueError("no header")
        start = _LENGTH_OF_HEADER + length
        header = json.loads(data[_LENGTH_OF_HEADER:start].tobytes())
        numbers = _tensor(data[start:], header[name])
        scales = _tensor(data[start:], header[SCALES]) if numbers.dtype == np.int8 else None
        if numbers.ndim != 2 or (scales is not None and scales.shape != numbers.shape[:1]):
            raise ValueError(f"{name} of shape {numbers.shape}")
        return VectorTable(numbers, scales)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EncoderError(
            f"{path}: cannot be read as a table of word vectors ({error});"
            " install the checkpoint again"
        ) from error


def _tensor(data: NDArray[np.uint8], entry: Mapping[str, Any]) -> NDArray[Any]:
    start, end = map(int, entry["data_offsets"])
    return data[start:end].view(_KINDS[entry["dtype"]]).reshape(tuple(map(int, entry["shape"])))


def write_table(
    path: Path, table: NDArray[np.floating], name: str = TABLE, *, int8: bool = False
) -> None:
    """Write a matrix as safetensors, in sixteen bits or in eight.

    A table has shape (tokens, dimensions). In eight bits the greatest number of each row is 127.

    Raises:
        OSError: it cannot be written.
    """
    # Imported where needed: only who makes a model needs it.
    from safetensors.numpy import save

    tensors: dict[str, NDArray[Any]] = {name: np.ascontiguousarray(table, dtype="<f2")}
    if int8:
        scales = np.maximum(np.abs(table).max(axis=1), 1e-6).astype(np.float32) / 127
        scales = scales.astype("<f2").astype(np.float32)
        numbers = np.clip(np.rint(table / np.maximum(scales, 1e-7)[:, None]), -127, 127)
        tensors = {name: numbers.astype(np.int8), SCALES: scales.astype("<f2")}
    path.write_bytes(save(tensors))
