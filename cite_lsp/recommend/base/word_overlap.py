"""How alike sentences are by the words that they share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cite_lsp.recommend.base.columns import Column
from cite_lsp.search.words.tokens import tokenise

Checksums = NDArray[np.uint32]
"""The words of a text as checksums, each once, ascending."""


@lru_cache(maxsize=16384)
def checksums(text: str) -> Checksums:
    """Return the words of a text as checksums."""
    return np.unique(np.array([crc32(word.encode()) for word in tokenise(text)], dtype=np.uint32))


class Likeness:
    """Tells how alike texts are to others: the cosine of binary TF-IDF vectors.

    Document frequencies are those among the k texts that it was made of; what is the same for every
    question is reckoned once.
    """

    def __init__(self, texts: Sequence[Checksums]) -> None:
        """Take the words of the texts."""
        self._size = len(texts)
        owner = np.repeat(np.arange(self._size), [len(text) for text in texts])
        flat = np.concatenate(texts) if texts else np.zeros(0, dtype=np.uint32)
        self._words, place, frequency = np.unique(flat, return_inverse=True, return_counts=True)
        self._weight = np.log(1 + (self._size + 1) / (1 + frequency)) ** 2
        self._norms = np.bincount(owner, weights=self._weight[place], minlength=self._size)
        order = np.argsort(place, kind="stable")
        self._texts = owner[order]  # those of one word side by side
        self._starts = np.concatenate([[0], np.cumsum(frequency)])

    def of(self, text: Checksums) -> Column:
        """Return how alike each of the texts is to this one, shape (k,), 0 to 1."""
        shared = np.zeros(self._size)
        asked = np.flatnonzero(np.isin(self._words, text, assume_unique=True))
        for word in asked.tolist():
            shared[self._texts[self._starts[word] : self._starts[word + 1]]] += self._weight[word]
        unseen = math.log(1 + self._size + 1) ** 2 * (len(text) - len(asked))
        norms = self._norms * (self._weight[asked].sum() + unseen)
        return np.asarray(shared / np.sqrt(np.where(norms > 0, norms, 1.0)), dtype=np.float32)


def likeness(text: str, others: Sequence[str]) -> Column:
    """Return how alike each of the other texts is to a text, shape (m,), 0 to 1."""
    return _made_of(tuple(others)).of(checksums(text))


@lru_cache(maxsize=12)
def _made_of(texts: tuple[str, ...]) -> Likeness:
    """Return the likeness to some texts: place after place of a draft is compared with the same."""
    return Likeness([checksums(text) for text in texts])
