"""How Chinese is read, by the tables of pypinyin, each of which is loaded when it is needed.

Characters one by one need 13 MB. The readings of phrases take another 44 MB and a tenth of a
second, and nothing but a text that is spelled out depends on them.
"""

from __future__ import annotations

import os
from functools import cache
from threading import Lock
from types import ModuleType

_PHRASES = Lock()
_SWITCH = "PYPINYIN_NO_PHRASES"


def readings_of(character: str) -> list[str]:
    """Return the syllables that a character may be read as, without tones."""
    pypinyin = _characters()
    styled = pypinyin.pinyin(
        character, style=pypinyin.Style.NORMAL, heteronym=True, errors="ignore"
    )
    return [syllable for syllables in styled for syllable in syllables]


def spelled_out(text: str) -> list[str]:
    """Return a text with a syllable in place of each character that has one, without tones."""
    with _PHRASES:
        pypinyin = _phrases()
    syllables: list[str] = pypinyin.lazy_pinyin(text)
    return syllables


@cache
def _characters() -> ModuleType:
    before = os.environ.get(_SWITCH)
    os.environ[_SWITCH] = "1"
    try:
        # Imported where needed: only Chinese texts need its tables.
        import pypinyin
    finally:
        del os.environ[_SWITCH]
        if before is not None:
            os.environ[_SWITCH] = before
    return pypinyin


@cache
def _phrases() -> ModuleType:
    pypinyin = _characters()
    # Imported where needed: most Chinese texts do without.
    from pypinyin import phrases_dict

    pypinyin.load_phrases_dict(phrases_dict.phrases_dict)
    return pypinyin
