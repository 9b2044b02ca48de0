"""How a text with Chinese in it is laid out for an encoder that reads Chinese word by word."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.translate.segment import words

if TYPE_CHECKING:
    from cite_lsp.encode.tokens.tokenizer import Tokenizer

CHINESE = "chinese"
"""`words` in the `config.json` of an encoder whose texts are first cut into Chinese words."""

_LONGEST = 8
"""Characters of a word of the vocabulary, at most."""
_SIGN = lazy_re(r"(\[[A-Z]+\])")
_CACHED = 8192
"""Texts that are cut once: those of a long draft, which is read again and again."""


class ChineseTokenizer:
    """A tokenizer of texts that are first cut into the Chinese words that it knows.

    Itself a `Tokenizer`. Safe to share between threads.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Take the tokenizer that reads what is cut."""
        self.vocabulary: Mapping[str, int] = tokenizer.vocabulary
        self.around = tokenizer.around
        self._tokenizer = tokenizer
        self._spaced = lru_cache(_CACHED)(lambda text: spaced(text, self.vocabulary.keys()))

    def pieces(self, texts: Sequence[str], most: int | None = None) -> list[list[int]]:
        """Return the numbers of the pieces of each text, at most so many."""
        return self._tokenizer.pieces([self._spaced(text) for text in texts], most)


def spaced(text: str, vocabulary: Container[str]) -> str:
    """Return a text with blanks between its words, full-width and traditional forms folded.

    Chinese words that are not in the `vocabulary` are cut into the longest ones that are, from the
    left; a dictionary keeps whole what a vocabulary has no row for.
    """
    pieces: list[str] = []
    for word in words(text):
        if word in vocabulary or not has_han(word):
            pieces.append(word)
        else:
            pieces += _parts(word, vocabulary)
    return " ".join(pieces)


def spaced_around_signs(text: str, vocabulary: Container[str]) -> str:
    """Return a text `spaced` but for the encoder's own signs, such as [MASK], which stay."""
    pieces = _SIGN.split(text)
    return " ".join(
        piece if number % 2 else spaced(piece, vocabulary) for number, piece in enumerate(pieces)
    )


def _parts(word: str, vocabulary: Container[str]) -> list[str]:
    parts = []
    start = 0
    while start < len(word):
        longest = range(min(len(word), start + _LONGEST), start + 1, -1)
        end = next((end for end in longest if word[start:end] in vocabulary), start + 1)
        parts.append(word[start:end])
        start = end
    return parts
