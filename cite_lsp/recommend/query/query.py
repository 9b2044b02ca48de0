"""The Query: the windows of a Context that are compared with papers.

Words close to the marker describe what is cited, words further away the subject of the section.
They are separate windows, because a ranker that knows both does better than any single window.

In a Chinese Context (`BilingualQuery`) words close to the marker count most, too. Words in Latin
letters (names of authors and of methods, often the only words that the sentence shares with its
paper) are read separately.
"""

from __future__ import annotations

from collections.abc import Hashable

from attrs import frozen

from cite_lsp.language import detect_language
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.model import Context
from cite_lsp.manuscript.text.sentences import MARKER_SIGN, TEXTUAL_SIGN, sentence_spans
from cite_lsp.manuscript.text.word_windows import first_words, last_words
from cite_lsp.paper import Paper
from cite_lsp.recommend.query.encoder_input import NEAR, chinese_query_text
from cite_lsp.recommend.query.latin_names import LATIN, LatinNames, acronyms_of, read_latin_names
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.search.words.query_words import (
    Words,
    close_words,
    faded_words,
    fading_words,
    joined,
    query_words,
    words_with_translations,
)
from cite_lsp.storage.memory import text_cache
from cite_lsp.translate.translator import DictionaryTranslator

_LATIN = lazy_re(r"[A-Za-z](?:[A-Za-z0-9+'.-]*[A-Za-z0-9+])?")

_ENDED_IN_CHINESE = lazy_re(r"[。！？；．][”’」』）】》]*\s*\Z")

NEAR_LEFT, NEAR_RIGHT = 18, 10
"""Words left and right of the marker in the near window (a Han character counts as half a word)."""
WIDE = 50
"""Words on either side in the wide window (Tanaka et al.)."""
NAMES = 8
"""Words left of the marker that may name an author ("the method of Smith and Lee")."""


@frozen
class Query:
    """The windows of one context, as plain text.

    `sentence` holds the marker, `near` and `wide` surround it, `topic` is what the section
    and the draft are about, `names` the words right before the marker, `latin` the Latin words of a
    Chinese context (method names and authors, often the only words it shares with its paper).
    """

    sentence: str
    near: str
    wide: str
    topic: str
    names: str
    latin: str
    near_sides: tuple[str, str] = ("", "")
    """The near window left and right of the marker."""
    translation: str = ""
    """The sentence in English, by a translator that the writer chose."""

    @property
    def sentence_words(self) -> Words:
        """The weighted words of the sentence."""
        return self._translated(query_words(self.sentence))

    @property
    def near_words(self) -> Words:
        """The weighted words of the near window; in Chinese with more weight next to the marker."""
        return self._translated(
            faded_words(*self.near_sides) if any(self.near_sides) else query_words(self.near)
        )

    @property
    def close_words(self) -> Words:
        """The weighted words right beside the marker."""
        return close_words(*self.near_sides)

    @property
    def fading_words(self) -> Words:
        """The words of the near window, with less weight the further they are from the marker."""
        return fading_words(*self.near_sides)

    @property
    def wide_words(self) -> Words:
        """The weighted words of the wide window."""
        return query_words(self.wide)

    @property
    def topic_words(self) -> Words:
        """The weighted words of the topic."""
        return query_words(self.topic)

    @property
    def sentence_said(self) -> frozenset[str]:
        """The tokens of the sentence and of its translation."""
        return words_with_translations(self.sentence) | words_with_translations(self.translation)

    def _translated(self, words: Words) -> Words:
        """Return words together with those of the translation."""
        return joined(words, query_words(self.translation)) if self.translation else words


def near_window(left: str, right: str) -> str:
    """Return the near window of a marker, the text on both sides joined."""
    return _joined(*_near_sides(left, right))


def sentence_of(context: Context) -> str:
    """Return the sentence of a context's marker, as `own_sentence` does."""
    begins = bool(context.sentence) and not context.sentence_before
    return own_sentence(context.left, context.right, begins=begins)


@text_cache(64)  # several features of a place read its sentence
def own_sentence(left: str, right: str, *, begins: bool = False) -> str:
    """Return the sentence of a marker, without the marker, cached.

    A marker right behind a Chinese full stop ends that sentence, or else `begins` the next one.
    The sentence is cut from the windows, not taken from the draft, so that a context of a full text
    (which has no draft) and one of a draft are read alike.
    """
    sentences, place = sentences_around(left, right, begins=begins)
    return sentences[place] if sentences else ""


def sentences_around(left: str, right: str, *, begins: bool = False) -> tuple[list[str], int]:
    """Return the sentences of a marker's wide window, without it, and which was the marker's.

    See `own_sentence`.
    """
    left, right = last_words(left, WIDE), first_words(right, WIDE)
    gap = " " if right[:1].isalnum() else ""
    sign = TEXTUAL_SIGN if begins and _ENDED_IN_CHINESE.search(left) else MARKER_SIGN
    text = f"{left.rstrip()}{sign}{gap}{right}"
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    place = next((row for row, sentence in enumerate(sentences) if sign in sentence), -1)
    if place < 0:
        return [], 0
    sentences[place] = _joined(*sentences[place].split(sign, 1))
    return sentences, place


@text_cache(16384)
def mention_sentence(left: str, right: str) -> str:
    """Return the sentence of a mention, from the text on either side, cached."""
    return own_sentence(left, right)


def read_query(context: Context) -> Query:
    """Return the windows of a context."""
    near_sides = _near_sides(context.left, context.right)
    wide = _joined(last_words(context.left, WIDE), first_words(context.right, WIDE))
    near = _joined(*near_sides)
    latin = " ".join(_LATIN.findall(near)) if detect_language(near) == "zh" else ""
    return Query(
        sentence=sentence_of(context),
        near=near,
        wide=wide,
        topic=". ".join(part for part in (context.section_title, context.title) if part),
        names=last_words(context.left, NAMES),
        latin=latin,
        near_sides=near_sides,
        translation=context.translation,
    )


def corpus_cache_key(context: Context) -> Hashable:
    """Return a cache key of a context: all that its candidates depend on but the cited papers."""
    return (
        read_query(context),
        context.title,
        context.abstract,
        context.year,
        context.language,
    )


def citing_document_text(context: Context) -> str:
    """Return title and abstract of the citing document, as an encoder reads those of papers."""
    return encoder_text(Paper("", context.title, context.abstract))


def wide_window(context: Context) -> str:
    """Return the 50 words either side of the marker (Tanaka et al., section 3.1)."""
    return read_query(context).wide


def macro_window(context: Context) -> str:
    """Return the 50 words either side of the marker, then the titles of section and draft.

    The subject of the manuscript ("macro-scoped" intents: Zhang and Ma, MP-BERT4CR, 2021) stands
    last, where a text that is too long is cut.
    """
    query = read_query(context)
    return ". ".join(part for part in (query.wide, query.topic) if part)


def _near_sides(left: str, right: str) -> tuple[str, str]:
    return last_words(left, NEAR_LEFT), first_words(right, NEAR_RIGHT)


def _joined(left: str, right: str) -> str:
    return f"{left.rstrip()} {right.lstrip()}".strip()


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
