"""The BilingualQuery: the windows of a Chinese Context, and their English words.

Words close to the marker count most. Words in Latin letters (names of authors and of methods, often
the only words that the sentence shares with its paper) are read separately.
"""

from __future__ import annotations

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.query.encoder_input import NEAR, chinese_query_text
from cite_lsp.recommend.query.latin_names import LATIN, LatinNames, acronyms_of, read_latin_names
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.words.query_words import Words, faded_words, query_words
from cite_lsp.translate.translator import DictionaryTranslator

CLOSE = (30, 8)
"""Characters left and right of the marker in the close window: little more than the words that name
the cited paper."""
ABSTRACT = 300
"""Characters of the draft's abstract that are read."""
_YEAR = lazy_re(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@frozen
class BilingualQuery:
    """A Chinese context: its windows as plain text, and their weighted words for the word index.

    `near_en` is the near window in English, word by word, `query_text` the input of the Chinese
    query encoder. `faded` are the words of the near window with more weight the closer they are to
    the marker. `latin_near` and `latin_close` are the words in Latin letters, `acronyms` those in
    capitals, lower-cased, `years` the years near the marker, `before` and `behind` the names.
    """

    near: str
    close: str
    wide: str
    sentence: str
    topic: str
    abstract: str
    near_en: str
    query_text: str
    faded: Words
    near_words: Words
    close_words: Words
    sentence_words: Words
    wide_words: Words
    topic_words: Words
    latin_near: tuple[str, ...]
    latin_close: tuple[str, ...]
    acronyms: frozenset[str]
    years: frozenset[int]
    before: LatinNames
    behind: LatinNames


def read_bilingual(context: Context, translator: DictionaryTranslator) -> BilingualQuery:
    """Return the windows of a Chinese context, and their translations."""
    query = read_query(context)
    near, close = window(context, NEAR), window(context, CLOSE)
    topic = "。".join(part for part in (context.section_title, context.title) if part)
    left, right = NEAR
    sides = (context.left[-left:], context.right[:right])
    return BilingualQuery(
        near=near,
        close=close,
        wide=query.wide,
        sentence=query.sentence,
        topic=topic,
        abstract=context.abstract[:ABSTRACT],
        near_en=translator.translate([near])[0],
        query_text=chinese_query_text(*sides),
        faded=faded_words(*sides, translator),
        near_words=query_words(near, translator),
        close_words=query_words(close, translator),
        sentence_words=query_words(query.sentence, translator),
        wide_words=query_words(query.wide, translator),
        topic_words=query_words(topic, translator),
        latin_near=tuple(LATIN.findall(near)),
        latin_close=tuple(LATIN.findall(close)),
        acronyms=frozenset(acronyms_of(near)),
        years=frozenset(int(year) for year in _YEAR.findall(near)),
        before=read_latin_names(sides[0], len(sides[0])),
        behind=read_latin_names(sides[1], 0),
    )


def window(context: Context, size: tuple[int, int]) -> str:
    """Return the characters around the marker, at most `size` left and right of it."""
    left, right = size
    return f"{context.left[-left:]} {context.right[:right]}".strip()
