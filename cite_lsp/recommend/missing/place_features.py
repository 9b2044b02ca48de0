"""Features of where a sentence stands: what is around it, how far into the text, and what is new.

Citations come in clusters, in some sections more than in others, and where names or terms are met
for the first time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.lazy_re import lazy_re
from cite_lsp.recommend.missing.passages import Passage

PLACE_FEATURES = (
    "words_around",
    "words_in_section",
    "words_in_text",
    "words_before",
    "words_after",
    "section_place",
    "section_length",
    "text_place",
    "names",
    "new_names",
    "new_words",
    "word_rarity",
)
"""The features, see `place_features`."""
_AROUND = 5
"""Sentences on either side whose mean counts."""
_NEAR = 3
"""Sentences before, and after, whose greatest score counts."""
_CACHE_SIZE = 8192
_NAME = lazy_re(r"(?<=\s)[A-ZÀ-ÖØ-ÞА-Я]\w+")
_WORD = lazy_re(r"[^\W\d_]{3,}")


def place_features(passages: Sequence[Passage], words: Sequence[float]) -> NDArray[np.float32]:
    """Return the features of the sentences of a text, in its order, (n, len(PLACE_FEATURES)).

    `words` are the linear scores of the sentences, (n,). The scores of sentences around, in the
    section and in the text are means, those before and after the greatest of a few (NaN where there
    is none); places are shares of the sentences; of words, shares and means count, of names,
    numbers. New is what did not stand in the text before; rarity is the logarithm of how many
    sentences there are for one that has the word.
    """
    scores = np.asarray(words, dtype=np.float32)
    matrix = np.full((len(passages), len(PLACE_FEATURES)), np.nan, dtype=np.float32)
    if not passages:
        return matrix
    matrix[:, 0] = _means_around(scores)
    matrix[:, 2] = scores.mean()
    matrix[:, 3] = _greatest_before(scores)
    matrix[:, 4] = _greatest_before(scores[::-1])[::-1]
    start = 0
    for _, section in groupby(passages, key=lambda passage: passage.section_title):
        length = sum(1 for _ in section)
        rows = slice(start, start + length)
        matrix[rows, 1] = scores[rows].mean()
        matrix[rows, 5] = np.arange(length) / length
        matrix[rows, 6] = math.log1p(length)
        start += length
    matrix[:, 7] = np.arange(len(passages)) / len(passages)
    matrix[:, 8:] = _novelty([_terms(passage.sentence) for passage in passages])
    return matrix


@frozen
class _Terms:
    """The names and the words of a sentence, each once."""

    names: frozenset[str]
    words: frozenset[str]


@lru_cache(maxsize=_CACHE_SIZE)
def _terms(text: str) -> _Terms:
    words = frozenset(word.lower() for word in _WORD.findall(text))
    return _Terms(frozenset(_NAME.findall(text)), words)


def _novelty(sentences: Sequence[_Terms]) -> NDArray[np.float32]:
    """Return names, new names, new words and rarity of words of each sentence, (n, 4)."""
    with_word = Counter(word for terms in sentences for word in terms.words)
    names: set[str] = set()
    words: set[str] = set()
    rows = np.zeros((len(sentences), 4), dtype=np.float32)
    for row, terms in zip(rows, sentences, strict=True):
        rarity = sum(math.log(len(sentences) / with_word[word]) for word in terms.words)
        several = max(len(terms.words), 1)
        row[:] = (
            len(terms.names),
            len(terms.names - names),
            len(terms.words - words) / several,
            rarity / several,
        )
        names |= terms.names
        words |= terms.words
    return rows


def _means_around(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of the scores on either side of each, itself left out; NaN of one alone."""
    sums = np.concatenate([[0.0], np.cumsum(scores, dtype=np.float64)])
    places = np.arange(len(scores))
    first, end = np.maximum(places - _AROUND, 0), np.minimum(places + _AROUND + 1, len(scores))
    others = end - first - 1
    total = sums[end] - sums[first] - scores
    return np.where(others > 0, total / np.maximum(others, 1), np.nan).astype(np.float32)


def _greatest_before(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the greatest of the few scores before each one, NaN of the first."""
    greatest = np.full(len(scores), np.nan, dtype=np.float32)
    for distance in range(1, min(_NEAR, len(scores) - 1) + 1):
        greatest[distance:] = np.fmax(greatest[distance:], scores[:-distance])
    return greatest
