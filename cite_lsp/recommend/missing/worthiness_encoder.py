"""The encoder of citation worthiness, which reads sentences in context (`worthiness-encoder`).

It reads windows: consecutive sentences in one pass, which says something of each of them, with the
others as their context (Cohan et al., "Pretrained language models for sequential sentence
classification", EMNLP 2019). A window begins with the title of the section; what stands before its
first sentence and after its last is context alone: nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.checkpoints import ENCODER_FILES
from cite_lsp.encode.description import located, read_description
from cite_lsp.encode.kinds.onnx import tables_of
from cite_lsp.encode.kinds.onnx_session import open_session
from cite_lsp.encode.tokens.chinese import CHINESE, ChineseTokenizer
from cite_lsp.encode.tokens.tokenizer import Tokenizer, load_tokenizer
from cite_lsp.language import has_han, is_chinese_sentence
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.missing.passages import Passage
from cite_lsp.storage.caches import LastUsed
from cite_lsp.storage.compressed_files import stored_path

MOST_TOKENS = 120
"""Tokens of the sentences that a window asks about."""
_LONGEST = 64
"""Tokens at which a sentence is cut."""
_BESIDE = 24
"""Tokens of the sentence before a window, its last, and of the one after, its first."""
_TITLE = 12
"""Tokens of a title."""


@frozen
class Window:
    """Tokens, and the sentences among them.

    places: where the tokens of each sentence begin and end, its separator included. rows: which
    sentences they are.
    """

    tokens: Sequence[int]
    places: Sequence[tuple[int, int]]
    rows: range


def tokenizer_of(path: Path, words: str) -> Tokenizer:
    """Load the tokenizer of a file, for texts that are cut so before.

    Raises:
        EncoderError: the file is missing or no tokenizer.
    """
    tokenizer = load_tokenizer(path)
    return ChineseTokenizer(tokenizer) if words == CHINESE else tokenizer


def windows_of(passages: Sequence[Passage], tokenizer: Tokenizer) -> list[Window]:
    """Return the windows of sentences in the order of their texts; each sentence is in one."""
    texts = sorted(
        {
            text
            for row in passages
            for text in (row.sentence, row.previous, row.next, row.section_title)
        }
    )
    tokens = dict(zip(texts, tokenizer.pieces(texts, _LONGEST), strict=True))
    (first,), (end,) = tokenizer.around  # [CLS] and [SEP]
    windows = []
    for rows in _runs(passages, [len(tokens[row.sentence]) + 1 for row in passages]):
        start, last = passages[rows[0]], passages[rows[-1]]
        read = [first, *tokens[start.section_title][:_TITLE], end]
        if before := tokens[start.previous][-_BESIDE:]:
            read += [*before, end]
        places = []
        for row in rows:
            begin = len(read)
            read += [*tokens[passages[row].sentence], end]
            places.append((begin, len(read)))
        if after := tokens[last.next][:_BESIDE]:
            read += [*after, end]
        windows.append(Window(read, places, rows))
    return windows


def _runs(passages: Sequence[Passage], lengths: Sequence[int]) -> Iterator[range]:
    """Yield the places of sentences that follow one another and fit into a window."""
    start = size = 0
    for place, length in enumerate(lengths):
        if place > start and (
            size + length > MOST_TOKENS or not _follows(passages[place - 1], passages[place])
        ):
            yield range(start, place)
            start, size = place, 0
        size += length
    if start < len(passages):
        yield range(start, len(passages))


def _follows(first: Passage, second: Passage) -> bool:
    """Whether a sentence stands right behind another one in the same section."""
    return first.section_title == second.section_title and first.next == second.sentence


KIND = "windows"
"""What `config.json` of its folder calls it."""
MODEL, CHINESE_MODEL = "worthiness-encoder", "worthiness-encoder-zh"
INPUTS = ("input_ids", "attention_mask", "places")
"""What the graph reads of w windows of t tokens and s sentences: token ids (w, t), their mask
(w, t), and the weights by which the states of tokens are averaged to sentences (w, s, t)."""
_CACHED = 4096
"""Windows whose logits are cached: a thesis has about a thousand."""


@frozen
class WorthinessEncoderConfig:
    """The `config.json` of an encoder; `base` is that in whose folder the files lie it lacks.

    `words` is how texts are cut before the tokenizer sees them (`OnnxConfig.words`).
    """

    kind: str
    name: str
    sha256: Mapping[str, str]
    base: str = ""
    words: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it cannot do without."""
        return ENCODER_FILES


def is_read(sentence: str, words: str) -> bool:
    """Whether an encoder that cuts texts so reads a sentence."""
    return is_chinese_sentence(sentence) if words == CHINESE else not has_han(sentence)


class WorthinessEncoder:
    """The trained encoder, whose graph is loaded when there is something to read. Thread-safe.

    Attributes:
        words: how it cuts texts (`OnnxConfig.words`).
    """

    def __init__(self, folder: Path) -> None:
        """Take the folder of the graph and the tokenizer, or of what is not in that of its base.

        Raises:
            EncoderError: its description is missing or damaged.
        """
        self._folder = folder
        self._config = read_description(
            folder,
            WorthinessEncoderConfig,
            kind=KIND,
            called="an encoder of windows",
            remedy="install it again",
        )
        self.words = self._config.words
        self._loaded = False
        self._lock = Lock()
        self._cached: LastUsed[object, NDArray[np.float32]] = LastUsed(_CACHED)

    def logits(
        self,
        passages: Sequence[Passage],
        wanted: NDArray[np.bool_] | None = None,
        cancelled: Cancel | None = None,
    ) -> Column:
        """Return how much sentences, in the order of their text, look like citing ones, (n,).

        If only some are `wanted`, (n,), those in other windows have NaN.

        Raises:
            Cancelled: `cancelled` returned true.
            EncoderError: a file is missing or damaged.
        """
        logits = np.full(len(passages), np.nan, dtype=np.float32)
        if not passages:
            return logits
        self._load()
        for window in windows_of(passages, self._tokenizer):
            if wanted is not None and not wanted[list(window.rows)].any():
                continue
            stop_if(cancelled)
            key = tuple(window.tokens), tuple(window.places)
            read = self._cached.get(key)
            if read is None:
                read = self._read(window)
                self._cached.keep(key, read)
            logits[list(window.rows)] = read
        return logits

    def _load(self) -> None:
        with self._lock:
            if self._loaded:
                return
            folder, config, (graph, rules) = self._folder, self._config, ENCODER_FILES
            path = located(folder, rules, config.sha256, config.base)
            self._tokenizer = tokenizer_of(path, config.words)
            self._session = open_session(stored_path(folder / graph))
            inputs = {node.name for node in self._session.get_inputs()}
            self._tables = tables_of(folder, config, inputs)
            self._loaded = True

    def _read(self, window: Window) -> NDArray[np.float32]:
        tokens = np.array([window.tokens], dtype=np.int64)
        places = np.zeros((1, len(window.places), tokens.shape[1]), dtype=np.float32)
        for number, (begin, end) in enumerate(window.places):
            places[0, number, begin:end] = 1 / (end - begin)
        feed: dict[str, NDArray[Any]] = dict(
            zip(INPUTS, (tokens, np.ones_like(tokens), places), strict=True)
        )
        feed |= self._tables
        logits: NDArray[np.float32] = self._session.run(None, feed)[0][0]
        return logits
