"""Match Chinese by pinyin typed on a Latin keyboard: full syllables, initials, any reading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from cite_lsp.language import HAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.pinyin_tables import readings_of

_HAN = lazy_re(f"[{HAN}]")
_LETTERS = lazy_re(r"[a-z]+")
_LONGEST_SYLLABLE = 6
_SPELLINGS_AT_MOST = 64
_LONGEST_TYPED = 30
"""Letters beyond which a word is no pinyin: the ways to cut it into syllables multiply."""
_SHORT = 2
"""Letters up to which only the beginning of a Chinese text is matched: two letters fit anywhere."""


class PinyinReader:
    """Turns typed letters into a pattern over Han characters; knows those of some texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Look up how the Han characters of these texts are read."""
        self._read_so: dict[str, str] = {}
        for character in sorted(set(_HAN.findall("".join(texts)))):
            for syllable in readings(character):
                self._read_so[syllable] = self._read_so.get(syllable, "") + character

    def pattern(self, typed: str) -> re.Pattern[str] | None:
        """Return what finds the texts that folded letters may spell; None where they spell none.

        Whole syllables, of which the last may be begun only, then initials: "shenduxuexi",
        "shenduxu", "sdxx", "shendxx".
        """
        if len(typed) > _LONGEST_TYPED or not self._read_so or not _LETTERS.fullmatch(typed):
            return None
        spellings: list[str] = []
        for spelling in self._spellings(typed):
            spellings.append(spelling)
            if len(spellings) >= _SPELLINGS_AT_MOST:
                break
        if not spellings:
            return None
        before = f"(?<![{HAN}])" if len(typed) <= _SHORT else ""
        return re.compile(f"{before}(?:{'|'.join(spellings)})")

    def _spellings(self, typed: str) -> Iterator[str]:
        begun = self._characters_starting(typed)
        if begun:
            yield begun
        initials = [self._characters_starting(letter) for letter in typed]
        if len(typed) > 1 and all(initials):
            yield "".join(initials)
        for length in range(min(_LONGEST_SYLLABLE, len(typed) - 1), 0, -1):
            characters = self._read_so.get(typed[:length])
            if characters:
                for rest in self._spellings(typed[length:]):
                    yield f"[{characters}]{rest}"

    def _characters_starting(self, letters: str) -> str:
        """Return the class of the characters with a syllable that begins so, or ""."""
        matching = "".join(
            characters
            for syllable, characters in self._read_so.items()
            if syllable.startswith(letters)
        )
        return f"[{matching}]" if matching else ""


@cache
def readings(character: str) -> frozenset[str]:
    """Return the syllables that a Han character may be read as, without tones."""
    syllables_without_tones: set[str] = set()
    for syllable in readings_of(character):
        # The vowel of 吕 is typed as v, as u, or as passports have it.
        syllables_without_tones.update(
            (syllable, syllable.replace("v", "u"), syllable.replace("v", "yu"))
        )
    return frozenset(syllables_without_tones)
