"""The letters of East Asia, and whether a text in them is Chinese.

`HAN` and the other constants are ranges, to stand between the brackets of a pattern.
"""

from __future__ import annotations

import re

COMMON_HAN = "\u4e00-\u9fff"
"""The Han characters of the first block: nearly all that are written today."""
HAN = f"\u3400-\u4dbf{COMMON_HAN}\uf900-\ufaff"
UNSPACED = f"{HAN}\u3040-\u30ff"
"""Han and kana, in which words are written without blanks between them."""
EAST_ASIAN = f"{UNSPACED}\uac00-\ud7af"
"""Han, kana and Hangul, which follow a word of another script without a blank."""
_HAN = re.compile(f"[{HAN}]")
BEHIND_UNSPACED = re.compile(
    rf"(?<=[{UNSPACED}])(?![{UNSPACED}])[^\W_]+?(?=[{UNSPACED}]|(?![^\W_]))"
)
"""A word in other letters that Chinese or Japanese is run together with: BERT of 基于BERT的方法."""
_SOUNDED_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")


def has_han(text: str) -> bool:
    """Whether a text holds Han characters."""
    return not text.isascii() and _HAN.search(text) is not None


def han_share(text: str) -> float:
    """Return the share of Han characters among the letters of a text, 0 to 1."""
    letters = sum(character.isalpha() for character in text)
    return len(_HAN.findall(text)) / letters if letters else 0.0


def detect_language(text: str) -> str:
    """Return "zh" for a text written mostly in Chinese, "en" otherwise.

    A fifth of the letters is enough: Chinese scientific prose is full of Latin names and formulas.
    Japanese counts as Chinese, as its Han characters are read as Chinese words.
    """
    return "zh" if han_share(text) >= 0.2 else "en"


def message_language(language: str, text: str) -> str:
    """Return the language to speak to the writer of a text in, given what it counts as.

    Many kana make it Japanese, whose writers are told in English.
    """
    kana = _SOUNDED_KANA.findall(text)
    japanese = language == "zh" and len(kana) * 4 > len(_HAN.findall(text))
    return "en" if japanese else language
