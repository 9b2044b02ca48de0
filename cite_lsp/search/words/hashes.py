"""Hashes that stand for words: of 32 bits where few papers are compared, of 64 bits in an index."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.memory import text_cache
from cite_lsp.storage.text_hash import text_hash

Hashes = NDArray[np.uint32]
"""Hashes of words; two words share one with a chance of 1 in 4 billion."""
WordHashes = NDArray[np.uint64]
"""The hashes of words, as `long_hash` gives them."""


@text_cache(1 << 16)
def word_hash(word: str) -> int:
    """Return the hash of a word, 32 bits; never 0, which stands for none."""
    return text_hash(word, 4) or 1


def word_hashes(words: Iterable[str]) -> Hashes:
    """Return the distinct hashes of words in ascending order."""
    return np.unique(np.array([word_hash(word) for word in words], dtype=np.uint32))


def text_hashes(text: str) -> WordHashes:
    """Return the hashes of the words of a text, as often as they stand there, ascending."""
    return np.array(sorted(map(long_hash, tokenise(text))), dtype=np.uint64)


def long_hash(word: str | int) -> int:
    """Return the hash that stands for a word in an index, 64 bits; a hash as it is.

    Among a million words two collide with a chance of 1 in 37 million.
    """
    return _long_hash(word) if isinstance(word, str) else int(word)


@text_cache(1 << 14)
def _long_hash(word: str) -> int:
    return text_hash(word)
