"""An encoder for tests that train: its vectors count words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cite_lsp.encode.encoder import Vectors

WORDS = "tide marsh gull dune reed silt crab eel salt fog moor fen".split()


class WordEncoder:
    """Vectors that count words: texts are near when they share them."""

    name, dimensions = "words", len(WORDS)
    fingerprint = checkpoint = "words-1"

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> Vectors:
        rows = [[text.lower().count(word) + 0.01 for word in WORDS] for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, self.dimensions)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
