"""What a Chinese context asks of papers in English: its windows, and what they mean in English.

Words close to the marker count most, and those in Latin letters (names of authors and of methods,
often the only words that the sentence shares with its paper) are read by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from cite_lsp.manuscript.model import Context
from cite_lsp.paper import fold
from cite_lsp.recommend.query import read_query
from cite_lsp.search.tokens import STOP_WORDS, tokenise
from cite_lsp.translate.segment import pieces
from cite_lsp.translate.stop_words import STOP_WORDS as CHINESE_STOP_WORDS
from cite_lsp.translate.translator import DictionaryTranslator

NEAR = (80, 30)
"""Characters left and right of the marker in the near window."""
CLOSE = (30, 8)
"""The same of the close window: hardly more than the words that name what is cited."""
ABSTRACT = 300
"""Characters of the draft's abstract that are read."""
_SENSES = 6
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9+.'-]*[A-Za-z0-9+]|[A-Za-z]")
_ACRONYM = re.compile(r"(?<![A-Za-z])[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?![A-Za-z])")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LONGEST_ACRONYM = 8

Weights = Mapping[str, float]
"""Words to search by, and how much each of them counts."""


@frozen
class BilingualQuery:
    """A Chinese context, its windows as they stand (zh) and word by word in English (en).

    `lexicon_near` and `lexicon_close` hold all likely senses of the words, each by its probability.
    `latin_near` and `latin_close` are the words in Latin letters, `acronyms` those in capitals,
    lower-cased, `years` the years that are named near the marker.
    """

    near: str
    close: str
    wide: str
    sentence: str
    topic: str
    abstract: str
    near_en: str
    close_en: str
    sentence_en: str
    wide_en: str
    topic_en: str
    lexicon_near: Weights
    lexicon_close: Weights
    latin_near: tuple[str, ...]
    latin_close: tuple[str, ...]
    acronyms: frozenset[str]
    years: frozenset[int]


def read_bilingual(context: Context, translator: DictionaryTranslator) -> BilingualQuery:
    """Cut the windows of a context and translate them."""
    query = read_query(context)
    near = window(context, NEAR)
    close = window(context, CLOSE)
    topic = "。".join(part for part in (context.section_title, context.title) if part)
    near_en, close_en, sentence_en, wide_en, topic_en = translator.translate(
        [near, close, query.sentence, query.wide, topic]
    )
    acronyms = {found.lower().rstrip("s") for found in _ACRONYM.findall(near)}
    return BilingualQuery(
        near=near,
        close=close,
        wide=query.wide,
        sentence=query.sentence,
        topic=topic,
        abstract=context.abstract[:ABSTRACT],
        near_en=near_en,
        close_en=close_en,
        sentence_en=sentence_en,
        wide_en=wide_en,
        topic_en=topic_en,
        lexicon_near=likely_words(near, translator),
        lexicon_close=likely_words(close, translator),
        latin_near=tuple(_LATIN.findall(near)),
        latin_close=tuple(_LATIN.findall(close)),
        acronyms=frozenset(one for one in acronyms if 1 < len(one) <= _LONGEST_ACRONYM),
        years=frozenset(int(year) for year in _YEAR.findall(near)),
    )


def window(context: Context, size: tuple[int, int]) -> str:
    """Return the characters around the marker, at most `size` left and right of it."""
    left, right = size
    return f"{context.left[-left:]} {context.right[:right]}".strip()


def likely_words(text: str, translator: DictionaryTranslator) -> dict[str, float]:
    """Return the English words that a text may mean, each by the probability of its senses.

    A word in Latin letters means itself.
    """
    weights: dict[str, float] = {}
    for piece in pieces(text):
        if piece.kind == "latin":
            for word in tokenise(piece.text):
                weights[word] = weights.get(word, 0.0) + 1.0
        elif piece.kind == "han" and piece.text not in CHINESE_STOP_WORDS:
            for part in translator.known_parts(piece.text):
                for sense in translator.lexicon.senses(part)[:_SENSES]:
                    for word in tokenise(sense.english):
                        weights[word] = weights.get(word, 0.0) + sense.probability
    return weights


def initials(title: str) -> tuple[str, str]:
    """Return the first letters of a title's words, all of them and without stop words."""
    words = [word for word in re.split(r"[\s\-–/:,]+", fold(title)) if word[:1].isalpha()]
    return (
        "".join(word[0] for word in words),
        "".join(word[0] for word in words if word not in STOP_WORDS),
    )


def spells(acronyms: Sequence[str] | frozenset[str], title: str) -> int:
    """Return the letters of the longest acronym that neighbouring words of a title spell, or 0."""
    firsts = initials(title)
    return max(
        (len(one) for one in acronyms if any(one in letters for letters in firsts)), default=0
    )
