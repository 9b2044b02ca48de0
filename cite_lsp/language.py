"""The letters of East Asia, and whether a text in them is Chinese.

`HAN` and the other constants are ranges, to stand between the brackets of a pattern.
"""

from __future__ import annotations

from cite_lsp.lazy_re import lazy_re

COMMON_HAN = "\u4e00-\u9fff"
"""The Han characters of the first block: nearly all that are written today."""
HAN = f"\u3400-\u4dbf{COMMON_HAN}\uf900-\ufaff"
UNSPACED = f"{HAN}\u3040-\u30ff"
"""Han and kana, in which words are written without blanks between them."""
EAST_ASIAN = f"{UNSPACED}\uac00-\ud7af"
"""Han, kana and Hangul, which follow a word of another script without a blank."""
COMBINING = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0898-\u08e1"
    "\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83"
    "\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18-\u0f19\u0f35\u0f37\u0f39"
    "\u0f3e-\u0f84\u0f86-\u0fbc\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u17d3\u17dd"
    "\u180b-\u180d\u180f-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1abd\u1abf-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3"
    "\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1dff\u20d0-\u20dc\u20e1\u20e5-\u20f0\u2cef-\u2cf1\u2d7f-\u2dff"
    "\u302a-\u302f\u3099-\u309a\ufb1e\ufe20-\ufe2f"
)
"""Accents and vowel signs that are characters of their own: no `\\w` of a pattern."""
_HAN = lazy_re(f"[{HAN}]")
BEHIND_UNSPACED = lazy_re(rf"(?<=[{UNSPACED}])(?![{UNSPACED}])[^\W_]+?(?=[{UNSPACED}]|(?![^\W_]))")
"""A word in other letters that Chinese or Japanese is run together with: BERT of 基于BERT的方法."""
_SOUNDED_KANA = lazy_re("[\u3041-\u3096\u30a1-\u30fa]")


def has_han(text: str) -> bool:
    """Whether a text holds Han characters."""
    return not text.isascii() and _HAN.search(text) is not None


def han_share(text: str) -> float:
    """Return the share of Han characters among the letters of a text, 0 to 1."""
    if not has_han(text):  # so many texts that counting their letters would tell
        return 0.0
    return len(_HAN.findall(text)) / sum(character.isalpha() for character in text)


def detect_language(text: str) -> str:
    """Return "zh" for a text written mostly in Chinese, "en" otherwise.

    A fifth of the letters is enough: Chinese scientific prose is full of Latin names and formulas.
    Japanese counts as Chinese, as its Han characters are read as Chinese words.
    """
    return "zh" if han_share(text) >= 0.2 else "en"


def is_chinese_sentence(text: str) -> bool:
    """Whether a sentence is written mostly in Chinese, and not in Japanese."""
    return has_han(text) and message_language(detect_language(text), text) == "zh"


def message_language(language: str, text: str) -> str:
    """Return the language to speak to the writer of a text in, given what it counts as.

    Many kana make it Japanese, whose writers are told in English.
    """
    kana = _SOUNDED_KANA.findall(text)
    japanese = language == "zh" and len(kana) * 4 > len(_HAN.findall(text))
    return "en" if japanese else language
