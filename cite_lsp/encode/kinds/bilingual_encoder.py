"""The encoder that reads English and Chinese into one space: each text goes to who can read it.

The student was taught to put a Chinese text where the base puts its English translation (Reimers &
Gurevych 2020), so that all vectors can be compared. English texts get the vectors that the base
alone would give them. The student is opened when the first Chinese text shows up.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock

import numpy as np

from cite_lsp.cancelling import Cancel
from cite_lsp.encode.encoder import Encoder, EncoderError, Vectors
from cite_lsp.encode.kinds.static import StaticEncoder
from cite_lsp.language import han_share

log = logging.getLogger(__name__)

CHINESE_FROM = 0.1
"""Share of Han characters among the letters from which on a text goes to the student: a Chinese
sentence may be full of Latin names, an English one may quote a Chinese title."""


def is_chinese(text: str) -> bool:
    """Whether a text is for the student."""
    return not text.isascii() and _has_enough_han(text)


@lru_cache(maxsize=4096)
def _has_enough_han(text: str) -> bool:
    """Count the letters of a text, once: a draft's markers are asked for all day."""
    return han_share(text) >= CHINESE_FROM


class BilingualEncoder:
    """A base encoder and its student for Chinese; itself an `Encoder`, safe to share.

    Name, checkpoint and fingerprint are those of the base: what it made before stays good.
    `fingerprint_of` gives whose vector a text gets. Where the student cannot be opened, that is
    logged and the base reads everything.
    """

    def __init__(self, base: Encoder, student: Path) -> None:
        self.base = base
        self.name = base.name
        self.dimensions = base.dimensions
        self.fingerprint = base.fingerprint
        self.checkpoint = base.checkpoint
        self._folder = student
        self._student: StaticEncoder | None = None
        self._looked = False
        self._lock = Lock()

    def fingerprint_of(self, text: str) -> str:
        """Return the fingerprint of the encoder that a text goes to."""
        student = self._taught() if is_chinese(text) else None
        return student.fingerprint if student is not None else self.fingerprint

    def encode(self, texts: Sequence[str], *, cancelled: Cancel | None = None) -> Vectors:
        """See `Encoder.encode`."""
        chinese = [row for row, text in enumerate(texts) if is_chinese(text)]
        student = self._taught() if chinese else None
        if student is None:
            return self.base.encode(texts, cancelled=cancelled)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        vectors[chinese] = student.encode([texts[row] for row in chinese], cancelled=cancelled)
        theirs = set(chinese)
        others = [row for row in range(len(texts)) if row not in theirs]
        if others:
            vectors[others] = self.base.encode([texts[row] for row in others], cancelled=cancelled)
        return vectors

    def _taught(self) -> StaticEncoder | None:
        with self._lock:
            if not self._looked:
                self._looked = True
                try:
                    self._student = self._opened()
                except EncoderError as error:
                    log.error("%s; Chinese texts are read as %s reads them", error, self.name)
            return self._student

    def _opened(self) -> StaticEncoder:
        student = StaticEncoder(self._folder)
        if student.dimensions != self.dimensions:
            raise EncoderError(
                f"{self._folder}: vectors of {student.dimensions} dimensions where {self.name} has"
                f" {self.dimensions}; install the student of this encoder"
            )
        return student
