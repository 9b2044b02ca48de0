"""The words to search with for a text: its own, and what its Chinese words may mean in English.

Every word has a weight. One that is written counts as often as it stands there; an English word
that a Chinese one may mean counts as much as it is likely: the "probabilistic structured queries"
of Darwish and Oard (SIGIR 2003). Weights of words that are far from the marker fade.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.search.words.function_words import function_words, without_function_words
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.memory import text_cache
from cite_lsp.translate.segment import Piece, words_and_marks
from cite_lsp.translate.stop_words import STOP_WORDS
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

Words = Mapping[str, float]
"""Words as `tokenise` gives them, with what each counts."""

TRANSLATED = 0.4
"""What a translation counts beside a word that stands in the text."""
HAN_PAIR = 0.5
"""What a pair of Han characters counts: a word of Chinese has two of them, on average."""
FADE = 15.0
"""Words from the marker at which a word counts 1/e of what it counts beside it."""
CLOSE = 5.0
"""The same of `close_words`: what is left are the few words that name what is cited."""
FADE_WORDS = 12.0
"""The same of `fading_words` where words are not Chinese."""
LIKELY = 0.2
"""Probability from which on a translation counts as a word of the text."""
_CACHED = 1024
_DESIGNATION = lazy_re(r"\b([A-Z])[a-z]+ (\d{2,})\b")


@text_cache(_CACHED)
def query_words(text: str, translator: DictionaryTranslator | None = None) -> Words:
    """Return the words to search with for a text; without Chinese, how often each stands there.

    The translator is the one that ships, unless another is given.
    """
    if not has_han(text):
        return Counter(without_function_words(text, tokenise(text)))
    dictionary = translator or shipped_translator()
    return _weighed(((piece, 1.0) for piece in dictionary.cut(text)), dictionary)


@text_cache(_CACHED)
def faded_words(left: str, right: str, translator: DictionaryTranslator | None = None) -> Words:
    """Return the words to search with for the text around a marker, the nearest weighted most.

    Only where there is Chinese: it has far more words in a window, and what it shares with an
    English paper are the few beside the marker. Otherwise no weight fades.
    """
    if not has_han(left) and not has_han(right):
        return query_words(f"{left} {right}")
    return _faded_chinese(left, right, FADE, translator or shipped_translator())


@text_cache(_CACHED)
def close_words(left: str, right: str) -> Words:
    """Return the few words next to a marker to search with, in whatever language they are."""
    if has_han(left) or has_han(right):
        return _faded_chinese(left, right, CLOSE, shipped_translator())
    return _faded(left, right, CLOSE)


@text_cache(_CACHED)
def fading_words(left: str, right: str) -> Words:
    """Return the words around a marker to search with, the nearest weighted most; any language."""
    if has_han(left) or has_han(right):
        return faded_words(left, right)
    return _faded(left, right, FADE_WORDS)


def _faded(left: str, right: str, fade: float) -> Words:
    weights: dict[str, float] = {}
    small = function_words(text := f"{left} {right}", frozenset(tokenise(text)))
    for side in (left.split()[::-1], right.split()):
        for distance, word in enumerate(side):
            for token in tokenise(word):
                if token in small:
                    continue
                weights[token] = weights.get(token, 0.0) + math.exp(-distance / fade)
    return weights


def _faded_chinese(left: str, right: str, fade: float, translator: DictionaryTranslator) -> Words:
    before, after = translator.cut(left), translator.cut(right)
    around = [*zip(reversed(before), range(len(before)), strict=True)]
    around += zip(after, range(len(after)), strict=True)
    weighed = ((piece, math.exp(-distance / fade)) for piece, distance in around)
    return _weighed(weighed, translator)


@text_cache(_CACHED)
def words_with_translations(text: str) -> frozenset[str]:
    """Return the words of a text together with the likely translations of its Chinese words."""
    text_words = frozenset(without_function_words(text, tokenise(text)))
    if not has_han(text):
        return text_words
    return text_words | {
        word
        for piece in words_and_marks(text)
        if piece.kind == "han"
        for word, probability in _meanings(piece.text, shipped_translator()).items()
        if probability >= LIKELY
    }


@text_cache(_CACHED)
def short_forms(text: str) -> Words:
    """Return the short forms of what bears a name and a number in a text.

    Whoever writes "Abell 1550" looks for a title that has "A1550".
    """
    return Counter(
        word
        for initial, number in _DESIGNATION.findall(text)
        for word in tokenise(f"{initial}{number}")
    )


def joined(words: Words, translation: Words) -> Words:
    """Return the query words of a text together with those of its translation as a whole.

    A word of the text itself is not added twice.
    """
    return {**{word: TRANSLATED * times for word, times in translation.items()}, **words}


def _weighed(around: Iterator[tuple[Piece, float]], translator: DictionaryTranslator) -> Words:
    weights: dict[str, float] = {}

    def add(word: str, weight: float) -> None:
        weights[word] = weights.get(word, 0.0) + weight

    for piece, weight in around:
        if piece.kind == "mark":
            continue
        for word in tokenise(piece.text):
            add(word, weight * (HAN_PAIR if piece.kind == "han" else 1.0))
        if piece.kind == "han":
            for word, probability in _meanings(piece.text, translator).items():
                add(word, weight * TRANSLATED * probability)
    return weights


@text_cache(16 * _CACHED)
def _meanings(word: str, translator: DictionaryTranslator) -> Mapping[str, float]:
    """Return the English words that a Chinese one may mean, with their probabilities."""
    if word in STOP_WORDS:
        return {}
    meanings: dict[str, float] = {}
    for part in translator.known_parts(word):
        for sense in translator.lexicon.senses(part):
            for meaning in dict.fromkeys(tokenise(sense.english)):
                meanings[meaning] = meanings.get(meaning, 0.0) + sense.probability
    return meanings
