"""The encoder that finds citing sentences among others (recipe `worthiness-encoder`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.checkpoints import ENCODER_FILES, TABLE
from cite_lsp.encode.description import located, read_description
from cite_lsp.encode.encoder import Cancel, stop_if
from cite_lsp.encode.onnx import word_vectors
from cite_lsp.encode.sessions import open_session
from cite_lsp.encode.tokenizer import load_tokenizer
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.missing.passages import Passage
from cite_lsp.recommend.missing.sentence_windows import Window, windows_of
from cite_lsp.storage.caches import LastUsed
from cite_lsp.storage.packed_files import stored

KIND = "windows"
"""What `config.json` of its folder calls it."""
MODEL = "worthiness-encoder"
INPUTS = ("input_ids", "attention_mask", "places")
"""What the graph reads of w windows of t tokens and s sentences: token ids (w, t), their mask
(w, t), and the weights by which the states of tokens are averaged to sentences (w, s, t)."""
_CACHED = 4096
"""Windows whose logits are cached: a thesis has about a thousand."""


@frozen
class WindowConfig:
    """The `config.json` of the encoder; `base` is that in whose folder the files lie it lacks."""

    kind: str
    name: str
    sha256: Mapping[str, str]
    base: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it cannot do without."""
        return ENCODER_FILES


class WindowReader:
    """The trained encoder. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Load the graph and the tokenizer of a folder, or those of its base.

        Raises:
            EncoderError: a file is missing or damaged.
        """
        config = read_description(
            folder,
            WindowConfig,
            kind=KIND,
            called="an encoder of windows",
            remedy="install it again",
        )
        graph, rules = ENCODER_FILES
        self._tokenizer = load_tokenizer(located(folder, rules, config.sha256, config.base))
        self._session = open_session(stored(folder / graph))
        takes_table = any(given.name == TABLE for given in self._session.get_inputs())
        self._table = word_vectors(folder, config) if takes_table else None
        self._known: LastUsed[object, NDArray[np.float32]] = LastUsed(_CACHED)

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
        """
        logits = np.full(len(passages), np.nan, dtype=np.float32)
        for window in windows_of(passages, self._tokenizer):
            if wanted is not None and not wanted[list(window.rows)].any():
                continue
            stop_if(cancelled)
            key = tuple(window.tokens), tuple(window.places)
            read = self._known.get(key)
            if read is None:
                read = self._read(window)
                self._known.keep(key, read)
            logits[list(window.rows)] = read
        return logits

    def _read(self, window: Window) -> NDArray[np.float32]:
        tokens = np.array([window.tokens], dtype=np.int64)
        places = np.zeros((1, len(window.places), tokens.shape[1]), dtype=np.float32)
        for number, (begin, end) in enumerate(window.places):
            places[0, number, begin:end] = 1 / (end - begin)
        given: dict[str, NDArray[Any]] = dict(
            zip(INPUTS, (tokens, np.ones_like(tokens), places), strict=True)
        )
        if self._table is not None:
            given[TABLE] = self._table
        logits: NDArray[np.float32] = self._session.run(None, given)[0][0]
        return logits
