"""BM25 as a product of two sparse vectors, for engines that search those.

The scores are those of `WordIndex`: what depends on the document stands in its vector, what depends
on the corpus in that of the query, so that a corpus may grow and no vector has to change.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from cite_lsp.search.words.hashes import word_hash
from cite_lsp.storage.memory import text_cache

K1, B = 1.2, 0.75
"""The parameters of BM25 that `WordIndex` is built with."""
_NOWHERE, _LAST = 0, 2**32 - 2
"""The first and the last place of a sparse vector; no hash of a word is 0."""

Weights = Mapping[int, float]
"""A sparse vector: by place, the number there."""


class WordFrequencies(Protocol):
    """How many documents there are, how long on average, and how many have a word."""

    @property
    def mean_length(self) -> float:
        """Mean number of words of a document."""

    def __len__(self) -> int: ...

    def frequency(self, word: str) -> int:
        """Return how many documents have a word (as `tokenise` gives it)."""


def saturated(words: Sequence[str], mean_length: float) -> dict[str, float]:
    """Return f / (f + k1 (1 − b + b l / mean length)) for the words of a document."""
    damping = K1 * (1 - B + B * len(words) / (mean_length or 1.0))
    return {word: times / (times + damping) for word, times in Counter(words).items()}


def inverse_frequency(word: str, among: WordFrequencies) -> float:
    """Return idf(w) = ln(1 + (n − n_w + ½) / (n_w + ½)), as in `WordIndex.build`."""
    having = max(among.frequency(word), 1)
    return math.log1p((len(among) - having + 0.5) / (having + 0.5))


def document_weights(words: Sequence[str], mean_length: float) -> Weights:
    """Return the sparse vector of a document: `saturated` by place.

    One without words has something where no word has its place: engines refuse an empty vector.
    """
    weights = {_place(word): share for word, share in saturated(words, mean_length).items()}
    return weights or {_NOWHERE: 1.0}


def query_weights(words: Sequence[str] | Mapping[str, float], among: WordFrequencies) -> Weights:
    """Return the sparse vector of a query: idf(w) of its words.

    A word counts as often as the query repeats it, or as much as its weight.
    """
    counted: Mapping[str, float] = words if isinstance(words, Mapping) else Counter(words)
    return {_place(word): times * inverse_frequency(word, among) for word, times in counted.items()}


@text_cache(1 << 18)
def _place(word: str) -> int:
    return min(word_hash(word), _LAST)
