"""Windows of words: so many from the end or the beginning of a text, in any mix of scripts."""

from __future__ import annotations

from cite_lsp.language import HAN, has_han
from cite_lsp.lazy_re import lazy_re

_WORD = lazy_re(rf"[{HAN}]|[^\s{HAN}]+")
_HAN_WEIGHT = 0.5
"""Chinese has no blanks between words; a word is two characters on average."""


def last_words(text: str, count: int) -> str:
    """Return the last `count` words of a text; a Han character counts as half a word."""
    if text.isascii():
        parts = text.rsplit(None, count)
        return text[len(parts[0]) if len(parts) > count else 0 :].lstrip()
    weight, start = 0.0, len(text)
    for match in reversed(list(_WORD.finditer(text))):
        weight += _weight(match.group())
        if weight > count:
            break
        start = match.start()
    return text[start:]


def first_words(text: str, count: int) -> str:
    """Return the first `count` words of a text; a Han character counts as half a word."""
    if text.isascii():
        parts = text.split(None, count)
        return text[: len(text) - (len(parts[-1]) if len(parts) > count else 0)].rstrip()
    weight, end = 0.0, 0
    for match in _WORD.finditer(text):
        weight += _weight(match.group())
        if weight > count:
            break
        end = match.end()
    return text[:end]


def _weight(word: str) -> float:
    return _HAN_WEIGHT if has_han(word) else 1.0
