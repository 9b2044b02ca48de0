"""Encoders for tests, which need no model: vectors that count words, vectors from hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from cite_lsp.cancelling import stop_if
from cite_lsp.encode import Vectors

WORDS = "tide marsh gull dune reed silt crab eel salt fog moor fen".split()


class WordEncoder:
    """Vectors whose axes are words: texts are near when they count the same ones."""

    name = "words"

    def __init__(self, words: Sequence[str] = WORDS, checkpoint: str = "words-1") -> None:
        self.fingerprint = self.checkpoint = checkpoint
        self.dimensions, self._words = len(words), words

    def encode(
        self, texts: Sequence[str], *, cancelled: Callable[[], bool] | None = None
    ) -> Vectors:
        rows = [[text.lower().count(word) + 0.01 for word in self._words] for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, self.dimensions)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


class HashEncoder:
    """Vectors from hashes, which say nothing, and a record of what was asked for."""

    name = "hashes"

    def __init__(self, fingerprint: str = "hashes-1", dimensions: int = 8) -> None:
        self.fingerprint = self.checkpoint = fingerprint
        self.dimensions = dimensions
        self.encoded: list[str] = []

    def encode(
        self, texts: Sequence[str], *, cancelled: Callable[[], bool] | None = None
    ) -> Vectors:
        stop_if(cancelled)
        self.encoded += texts
        vectors = [self.vector(text) for text in texts]
        return np.array(vectors, dtype=np.float32).reshape(-1, self.dimensions)

    def vector(self, text: str) -> Vectors:
        seed = hashlib.sha256(f"{self.fingerprint}{text}".encode()).digest()
        drawn = np.random.default_rng(list(seed)).standard_normal(self.dimensions)
        return np.asarray(drawn / np.linalg.norm(drawn), dtype=np.float32)
