"""The encoder that reads English and Chinese into one space: each text goes to who can read it.

The student was taught to put a Chinese text where the base puts its English translation (Reimers &
Gurevych 2020), so that all vectors can be compared. English texts get the vectors that the base
alone would give them. The student is opened when the first Chinese text shows up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from cite_lsp.encode.model import Encoder, EncoderError, Vectors, stop_if
from cite_lsp.encode.static import StaticEncoder, read_static_config, static_fingerprint
from cite_lsp.paper import cjk_share

CHINESE_FROM = 0.1
"""Share of Han characters among the letters from which on a text goes to the student: a Chinese
sentence may be full of Latin names, an English one may quote a Chinese title."""


def is_chinese(text: str) -> bool:
    """Whether a text is for the student."""
    return not text.isascii() and cjk_share(text) >= CHINESE_FROM


class BilingualEncoder:
    """A base encoder and its student for Chinese; itself an `Encoder`, safe to share.

    Name, checkpoint and fingerprint are those of the base: what it made before stays good.
    `fingerprint_of` tells whose vector a text gets.

    Raises:
        EncoderError: the student is missing, or was taught by another encoder than the base.
    """

    def __init__(self, base: Encoder, student: Path) -> None:
        config = read_static_config(student)
        if config.dimensions != base.dimensions:
            raise EncoderError(
                f"{student}: vectors of {config.dimensions} dimensions where {base.name} has"
                f" {base.dimensions}; install the student of this encoder"
            )
        self.base = base
        self.name = base.name
        self.dimensions = base.dimensions
        self.fingerprint = base.fingerprint
        self.checkpoint = base.checkpoint
        self._folder = student
        self._student_fingerprint = static_fingerprint(config)
        self._student: StaticEncoder | None = None
        self._lock = Lock()

    def fingerprint_of(self, text: str) -> str:
        """Return the fingerprint of the encoder that a text goes to."""
        return self._student_fingerprint if is_chinese(text) else self.fingerprint

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Vectors:
        """Encode texts into rows of shape (len(texts), dimensions); see `Encoder.encode`.

        Raises:
            Cancelled: `cancelled` said so.
            EncoderError: the files of the student are damaged.
        """
        chinese = [row for row, text in enumerate(texts) if is_chinese(text)]
        if not chinese:
            return self.base.encode(texts, cancelled=cancelled, progress=progress)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        stop_if(cancelled)
        vectors[chinese] = self._taught().encode(
            [texts[row] for row in chinese], cancelled=cancelled, progress=progress
        )
        theirs = set(chinese)
        others = [row for row in range(len(texts)) if row not in theirs]
        if others:
            vectors[others] = self.base.encode(
                [texts[row] for row in others], cancelled=cancelled, progress=progress
            )
        return vectors

    def _taught(self) -> StaticEncoder:
        with self._lock:
            if self._student is None:
                self._student = StaticEncoder(self._folder)
            return self._student
