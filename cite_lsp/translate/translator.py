"""Chinese into English, word by word: what ships, needs no model, and takes no time.

The result is for machines: a query of words, or the text that an encoder of English reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Protocol

from cite_lsp.language import has_han
from cite_lsp.translate.lexicon import Lexicon, shipped_lexicon
from cite_lsp.translate.segment import Cut, words_and_marks
from cite_lsp.translate.stop_words import STOP_WORDS

_CACHED = 4096
_LONGEST = 8
"""Han characters that are looked up together at most."""
_MARKS = {"，": ",", "、": ",", "。": ".", "；": ";", "：": ":", "？": "?", "！": "!"}
_SENTENCE_MARKS = frozenset(",.;:?!")


Check = Callable[[], None]
"""Raises where a translation is not wanted any more."""


class TranslatorError(Exception):
    """A translator cannot be used; the message says which, why and what to do, in one line."""


class Translator(Protocol):
    """Turns Chinese texts into English ones. Safe to share between threads; may block.

    `fingerprint` changes whenever a translation would: caches are keyed by it.
    """

    name: str
    fingerprint: str

    def translate(self, texts: Sequence[str], *, check: Check | None = None) -> list[str]:
        """Return the translation of each text; one without Han characters as it is.

        `check` is called now and then, before what takes long; what it raises ends the work.
        """


class DictionaryTranslator:
    """The likeliest English sense of each Chinese word; all other words stay as they are.

    Function words are left out. What the lexicon does not know is cut into the fewest parts that
    it knows.
    """

    name = "dictionary"

    def __init__(self, lexicon: Lexicon, cut: Callable[[str], Cut] = words_and_marks) -> None:
        """Take the lexicon, and what cuts a text into words."""
        self.lexicon = lexicon
        self.cut = cut
        self.fingerprint = f"{self.name}-1-{lexicon.fingerprint}"
        self._translated = lru_cache(maxsize=_CACHED)(self._translate)

    def translate(self, texts: Sequence[str], *, check: Check | None = None) -> list[str]:
        """Return the translation of each text; one without Han characters as it is."""
        return [self._translated(text) if has_han(text) else text for text in texts]

    def _translate(self, text: str) -> str:
        words: list[str] = []
        for piece in self.cut(text):
            if piece.kind == "latin":
                words.append(piece.text)
            elif piece.kind == "mark":
                mark = _MARKS.get(piece.text, piece.text)
                if mark in _SENTENCE_MARKS and words and words[-1][-1:] not in _SENTENCE_MARKS:
                    words[-1] += mark
            elif piece.text not in STOP_WORDS:
                words += [
                    self.lexicon.senses(part)[0].english for part in self.known_parts(piece.text)
                ]
        return " ".join(words)

    def known_parts(self, word: str) -> list[str]:
        """Return the fewest words of the lexicon that make up a word; what it lacks left out."""
        if word in self.lexicon:
            return [word]
        # best[i]: (characters not known, parts) of the first i characters, and the last part.
        best: list[tuple[int, int]] = [(0, 0)]
        last = [0]
        for end in range(1, len(word) + 1):
            options = []
            for start in range(max(0, end - _LONGEST), end):
                missing, parts = best[start]
                in_lexicon = word[start:end] in self.lexicon
                if in_lexicon or end - start == 1:
                    options.append(((missing + (not in_lexicon), parts + 1), start))
            value, start = min(options)
            best.append(value)
            last.append(start)
        words: list[str] = []
        end = len(word)
        while end:
            words.append(word[last[end] : end])
            end = last[end]
        return [part for part in reversed(words) if part in self.lexicon and part not in STOP_WORDS]


@cache
def shipped_translator() -> DictionaryTranslator:
    """Return the translator that ships, made once."""
    return DictionaryTranslator(shipped_lexicon())
