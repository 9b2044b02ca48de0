"""What a Chinese context asks of papers in English: its windows, and what they mean in English.

Words close to the marker count most, and those in Latin letters (names of authors and of methods,
often the only words that the sentence shares with its paper) are read by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from attrs import frozen

from cite_lsp.manuscript.model import Context
from cite_lsp.paper import fold
from cite_lsp.recommend.asking import HERE
from cite_lsp.recommend.query import read_query
from cite_lsp.search.asked_words import Words, asked_words, faded_words
from cite_lsp.search.tokens import STOP_WORDS, tokenise
from cite_lsp.translate.translator import DictionaryTranslator

NEAR = (80, 30)
"""Characters left and right of the marker in the near window."""
CLOSE = (30, 8)
"""The same of the close window: hardly more than the words that name what is cited."""
ABSTRACT = 300
"""Characters of the draft's abstract that are read."""
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9+.'-]*[A-Za-z0-9+]|[A-Za-z]")
_ACRONYM = re.compile(r"(?<![A-Za-z])[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?![A-Za-z])")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LONGEST_ACRONYM = 8
_TITLES_KEPT = 50_000


@frozen
class Named:
    """What stands in Latin letters on one side of a marker: characters between it and the marker.

    `words` are as texts are searched, `names` as names of authors and methods are compared (words
    and neighbouring pairs, folded), `acronyms` lower-cased; the nearest place of each counts.
    """

    words: Mapping[str, int]
    names: Mapping[str, int]
    acronyms: Mapping[str, int]


@frozen
class BilingualQuery:
    """A Chinese context: its windows as they stand, and what is searched for by words.

    `near_en` is the near window in English, word by word. Of the words, those of `faded` are the
    near window's and count the more the closer they stand to the marker. `latin_near` and
    `latin_close` are the words in Latin letters, `acronyms` those in capitals, lower-cased, `years`
    the years that are named near the marker.
    """

    near: str
    close: str
    wide: str
    sentence: str
    topic: str
    abstract: str
    near_en: str
    asking: str
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
    before: Named
    behind: Named


def read_bilingual(context: Context, translator: DictionaryTranslator) -> BilingualQuery:
    """Cut the windows of a context and translate them."""
    query = read_query(context)
    near, close = window(context, NEAR), window(context, CLOSE)
    topic = "。".join(part for part in (context.section_title, context.title) if part)
    left, right = NEAR
    sides = (context.left[-left:], context.right[:right])
    sides_en = translator.translate(sides)
    acronyms = {found.lower().rstrip("s") for found in _ACRONYM.findall(near)}
    return BilingualQuery(
        near=near,
        close=close,
        wide=query.wide,
        sentence=query.sentence,
        topic=topic,
        abstract=context.abstract[:ABSTRACT],
        near_en=translator.translate([near])[0],
        asking=f"{sides_en[0]} {HERE} {sides_en[1]} [SEP]",
        faded=faded_words(*sides, translator),
        near_words=asked_words(near, translator),
        close_words=asked_words(close, translator),
        sentence_words=asked_words(query.sentence, translator),
        wide_words=asked_words(query.wide, translator),
        topic_words=asked_words(topic, translator),
        latin_near=tuple(_LATIN.findall(near)),
        latin_close=tuple(_LATIN.findall(close)),
        acronyms=frozenset(one for one in acronyms if 1 < len(one) <= _LONGEST_ACRONYM),
        years=frozenset(int(year) for year in _YEAR.findall(near)),
        before=_named(sides[0], len(sides[0])),
        behind=_named(sides[1], 0),
    )


def _named(text: str, marker: int) -> Named:
    """Read the Latin words of a text by their distance to the marker, which stands at a place."""
    words: dict[str, int] = {}
    names: dict[str, int] = {}
    acronyms: dict[str, int] = {}
    last = ""
    for found in sorted(_LATIN.finditer(text), key=lambda one: one.start()):
        distance = marker - found.end() if found.end() <= marker else found.start() - marker

        def keep(kept: dict[str, int], word: str, distance: int = distance) -> None:
            kept[word] = min(kept.get(word, distance), distance)

        for word in tokenise(found.group()):
            keep(words, word)
        name = fold(found.group())
        keep(names, name)
        keep(names, f"{last} {name}")
        last = name
        for acronym in _ACRONYM.findall(found.group()):
            short = acronym.lower().rstrip("s")
            if 1 < len(short) <= _LONGEST_ACRONYM:
                keep(acronyms, short)
    return Named(words, names, acronyms)


def window(context: Context, size: tuple[int, int]) -> str:
    """Return the characters around the marker, at most `size` left and right of it."""
    left, right = size
    return f"{context.left[-left:]} {context.right[:right]}".strip()


@lru_cache(maxsize=_TITLES_KEPT)
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
