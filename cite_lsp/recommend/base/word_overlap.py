"""Similarity of sentences by the words that they share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cite_lsp.recommend.base.columns import Column
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.memory import text_cache

Checksums = NDArray[np.uint32]
"""The distinct words of a text as checksums, ascending, shape (w,)."""


@text_cache(16384)
def checksums(text: str) -> Checksums:
    """Return the checksums of the distinct words of a text, ascending."""
    return np.unique(np.array([crc32(word.encode()) for word in tokenise(text)], dtype=np.uint32))


class WordSimilarity:
    """Cosines of binary TF-IDF vectors between k texts and a query.

    Document frequencies are those among the k texts. What does not depend on the query is computed
    once.
    """

    def __init__(self, texts: Sequence[Checksums]) -> None:
        """Index the words of the texts."""
        self._size = len(texts)
        owner = np.repeat(np.arange(self._size), [len(text) for text in texts])
        flat = np.concatenate(texts) if texts else np.zeros(0, dtype=np.uint32)
        # Each word with its place behind it: sorting whole numbers takes a tenth of `np.unique`.
        ordered = np.sort(
            flat.astype(np.uint64) << np.uint64(32) | np.arange(len(flat), dtype=np.uint64)
        )
        words, order = ordered >> np.uint64(32), (ordered & np.uint64(0xFFFFFFFF)).astype(np.int64)
        first = np.flatnonzero(np.diff(words, prepend=np.uint64(1 << 40)))
        self._words = words[first].astype(np.uint32)
        self._starts = np.append(first, len(flat))
        frequency = np.diff(self._starts)
        place = np.empty(len(flat), dtype=np.int64)
        place[order] = np.repeat(np.arange(len(first)), frequency)
        self._weight = np.log(1 + (self._size + 1) / (1 + frequency)) ** 2
        self._norms = np.bincount(owner, weights=self._weight[place], minlength=self._size)
        self._texts = owner[order]  # those of one word side by side

    def to(self, query: Checksums) -> Column:
        """Return the similarity of each text to a query, shape (k,), 0 to 1."""
        overlap = np.zeros(self._size)
        shared_words = np.flatnonzero(np.isin(self._words, query, assume_unique=True))
        for word in shared_words.tolist():
            overlap[self._texts[self._starts[word] : self._starts[word + 1]]] += self._weight[word]
        unseen = math.log(1 + self._size + 1) ** 2 * (len(query) - len(shared_words))
        norms = self._norms * (self._weight[shared_words].sum() + unseen)
        return np.asarray(overlap / np.sqrt(np.where(norms > 0, norms, 1.0)), dtype=np.float32)


def word_similarity(text: str, others: Sequence[str]) -> Column:
    """Return the similarity of each of the other texts to a text, shape (m,), 0 to 1."""
    return _similarity_to(tuple(others)).to(checksums(text))


@text_cache(12)
def _similarity_to(texts: tuple[str, ...]) -> WordSimilarity:
    """Return the index of some texts, cached: all places of a draft are compared with the same."""
    return WordSimilarity([checksums(text) for text in texts])
