"""Chinese text cut into words: those of a dictionary and of science, any script folded to one form.

The words are read and OpenCC is imported when Chinese shows up, not before; the first words of a
process take half a second (`warm`), and so belong on a worker thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from attrs import frozen

from cite_lsp.language import HAN, has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.translate.unigrams import Unigrams, shipped_unigrams

_HAN = lazy_re(f"[{HAN}]")
_PIECE = lazy_re(
    rf"(?P<han>[{HAN}]+)"
    rf"|(?P<latin>[^\W_{HAN}]+(?:[.'’&/+_-]+[^\W_{HAN}]+)*[+#]*)"
    r"|(?P<mark>[^\w\s])"
)
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_CACHED = 4096

Kind = Literal["han", "latin", "mark"]


@frozen
class Piece:
    """A Chinese word, a word in another script (numbers and formulas too), or a mark."""

    kind: Kind
    text: str


def fold_script(text: str) -> str:
    """Return a text with full-width letters and marks narrowed and traditional Han simplified.

    What GB 2312 can write is simplified already, so that most texts never need OpenCC's tables.
    """
    if text.isascii():
        return text
    narrow = text.translate(_FULL_WIDTH)
    try:
        "".join(_HAN.findall(narrow)).encode("gb2312")
        return narrow
    except UnicodeEncodeError:
        return _simplifier()(narrow)


Cut = tuple[Piece, ...]
"""A text as words and marks, in order."""


@lru_cache(maxsize=_CACHED)
def words_and_marks(text: str) -> Cut:
    """Cut a text in any mix of scripts into words and marks, in order."""
    return cut(text, _unigrams()) if has_han(text) else cut(text, None)


def cut(text: str, unigrams: Unigrams | None) -> Cut:
    """Cut a text into given words; without them, runs of Han characters stay whole."""
    parts: list[Piece] = []
    for match in _PIECE.finditer(fold_script(text)):
        kind = match.lastgroup
        if kind == "han":
            run = match.group()
            han = unigrams.cut(run) if unigrams is not None else [run]
            parts += [Piece("han", word) for word in han]
        elif kind == "latin":
            parts.append(Piece("latin", match.group()))
        else:
            parts.append(Piece("mark", match.group()))
    return tuple(parts)


def words(text: str) -> list[str]:
    """Return the words of a text, Chinese and others, in order and without marks."""
    return [piece.text for piece in words_and_marks(text) if piece.kind != "mark"]


def frequency(word: str) -> int:
    """Return how often a Chinese word occurs in 60 million; 0 for one that is unknown."""
    return _unigrams().counts.get(word, 0)


def warm() -> None:
    """Load what cutting needs, so that the first Chinese sentence need not wait. May block."""
    _unigrams()


_lock = threading.Lock()
_loaded: Unigrams | None = None


def _unigrams() -> Unigrams:
    """Return the words with the scientific terms of the lexicon, loaded once per process."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                # Imported where needed: an English draft needs no dictionary.
                from cite_lsp.translate.lexicon import shipped_lexicon

                _loaded = shipped_unigrams(shipped_lexicon().terms)
    return _loaded


@lru_cache(maxsize=1)
def _simplifier() -> Callable[[str], str]:
    from opencc import OpenCC

    convert: Callable[[str], str] = OpenCC("t2s").convert
    return convert
