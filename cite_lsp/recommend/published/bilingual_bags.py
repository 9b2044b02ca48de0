"""Contexts and papers as weighted bags of words in two languages: their own, and translated.

A translation has every sense of a word with its probability: the comparison of bags decides between
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Literal

from cite_lsp.language import has_han
from cite_lsp.manuscript.model import Context
from cite_lsp.manuscript.text.sentences import MARKER_SIGN, sentence_spans
from cite_lsp.paper import Paper, surname
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.translate.lexicon import Lexicon
from cite_lsp.translate.segment import fold_script, frequency, words_and_marks
from cite_lsp.translate.stop_words import STOP_WORDS
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

Bag = Mapping[str, float]
"""Words and how often they occur; a sense counts as often as it is likely."""
ContextPart = Literal["chinese", "english", "abstract", "abstract-english"]
"""The three sentences around a marker as they stand and translated; the draft's abstract too."""
PaperPart = Literal["english", "chinese"]
"""Title and abstract of a paper and its authors' surnames as they stand, and translated."""

_CACHE_SIZE = 512
_CACHED_WORDS = 1 << 15
_CACHED_BAGS = 1 << 16
"""Bags of contexts, and of papers: most papers stay when a library changes."""
_BACK_SENSES = 4
"""Chinese words that an English one is translated into at most."""


@lru_cache(maxsize=_CACHE_SIZE)
def three_sentences(left: str, right: str) -> str:
    """Return the sentence of a marker with its two neighbours (Tang et al.), without the marker.

    They are cut from the text on its two sides, so that a context with a draft behind it and one
    without are read alike.
    """
    text = f"{left.rstrip()}{MARKER_SIGN}{right.lstrip()}"
    spans = sentence_spans(text)
    place = next(
        (place for place, (start, end) in enumerate(spans) if MARKER_SIGN in text[start:end]), 0
    )
    near = spans[max(place - 1, 0) : place + 2]
    return " ".join(text[start:end] for start, end in near).replace(MARKER_SIGN, " ")


class Bags:
    """Makes and caches bags. Thread-safe; the first Chinese word loads a dictionary."""

    def __init__(self, translator: DictionaryTranslator) -> None:
        """Contexts are translated by the dictionary's senses, papers by it read backwards."""
        self._dictionary = translator
        self._back: Mapping[str, tuple[tuple[str, float], ...]] | None = None
        self._bags_of_texts = lru_cache(_CACHED_BAGS)(self._bag)
        self._papers = lru_cache(_CACHED_BAGS)(self._paper_bag)
        self.senses = lru_cache(maxsize=_CACHED_WORDS)(self._look_up)
        """Returns the English words of a word, each with its probability."""

    def of_context(self, context: Context, part: ContextPart) -> Bag:
        """Return a part of a context."""
        if part.startswith("abstract"):
            text = context.abstract
        else:
            text = three_sentences(context.left, context.right)
        return self._bags_of_texts(text, part in ("english", "abstract-english"))

    def of_paper(self, paper: Paper, part: PaperPart) -> Bag:
        """Return a part of a paper. What cannot be translated stays as it is."""
        return self._papers(paper, part)

    def _paper_bag(self, paper: Paper, part: PaperPart) -> Bag:
        names = " ".join(map(surname, paper.authors))
        paper_words = _own_words(f"{paper.title} {paper.abstract} {names}")
        if part == "english":
            return paper_words
        if self._back is None:
            self._back = backwards(self._dictionary.lexicon)
        bag = dict(paper_words)
        for word, count in _own_words(f"{paper.title} {paper.abstract}").items():
            for chinese, share in self._back.get(word, ()):
                bag[chinese] = bag.get(chinese, 0.0) + count * share
        return bag

    def _bag(self, text: str, translated: bool) -> Bag:
        text_words = _own_words(text)
        if not translated:
            return text_words
        bag: dict[str, float] = {}
        for word, count in text_words.items():
            for english, share in self.senses(word):
                bag[english] = bag.get(english, 0.0) + count * share
        return bag

    def _look_up(self, word: str) -> tuple[tuple[str, float], ...]:
        if not has_han(word):
            return ((word, 1.0),)
        return tuple(
            (english, sense.probability)
            for part in self._dictionary.known_parts(word)
            for sense in self._dictionary.lexicon.senses(part)
            for english in tokenise(sense.english)
        )


@cache
def shipped_bags() -> Bags:
    """Return the bags by the lexicon that ships, made once; without senses if it is damaged."""
    return Bags(shipped_translator())


def backwards(lexicon: Lexicon) -> dict[str, tuple[tuple[str, float], ...]]:
    """Return p(Chinese word | English word) of a lexicon, by how frequent the Chinese words are.

    An expression of several words stands for each of them in equal parts: "neural network" puts
    half of 神经网络 behind "neural".
    """
    shares: dict[str, dict[str, float]] = {}
    for word in lexicon:
        chinese = fold_script(word)
        if chinese in STOP_WORDS:
            continue
        common = 1.0 + frequency(chinese)
        for sense in lexicon.senses(word):
            english = tokenise(sense.english)
            for part in english:
                row = shares.setdefault(part, {})
                row[chinese] = (
                    row.get(chinese, 0.0) + common * sense.probability / len(english) ** 2
                )
    back = {}
    for part, row in shares.items():
        likely = sorted(row.items(), key=lambda item: (-item[1], item[0]))[:_BACK_SENSES]
        total = sum(share for _, share in likely)
        back[part] = tuple((word, share / total) for word, share in likely)
    return back


def _own_words(text: str) -> Bag:
    """Return the words of a text as it stands, English or Chinese, or both."""
    if not has_han(text):
        return _count(tokenise(text))
    words: list[str] = []
    for piece in words_and_marks(text):
        if piece.kind == "latin":
            words += tokenise(piece.text)
        elif piece.kind == "han" and piece.text not in STOP_WORDS:
            words.append(piece.text)
    return _count(words)


def _count(words: Iterable[str]) -> Bag:
    bag: dict[str, float] = {}
    for word in words:
        bag[word] = bag.get(word, 0.0) + 1.0
    return bag
