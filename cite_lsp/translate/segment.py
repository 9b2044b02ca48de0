"""Chinese text cut into words: jieba with a scientific vocabulary, any script folded to one form.

jieba and OpenCC are imported when Chinese shows up, not before; the first words of a process take
about a second (`warm`), and so belong on a worker thread.
"""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from attrs import frozen

from cite_lsp.language import HAN, has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.storage.npz_cache import keep_arrays, load_arrays, text_array, texts_of

if TYPE_CHECKING:
    import jieba

_HAN = lazy_re(f"[{HAN}]")
_PIECE = lazy_re(
    rf"(?P<han>[{HAN}]+)"
    rf"|(?P<latin>[^\W_{HAN}]+(?:[.'’&/+_-]+[^\W_{HAN}]+)*[+#]*)"
    r"|(?P<mark>[^\w\s])"
)
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_TERM_FREQUENCY = 2000
"""How often a term is taken to occur in jieba's 60 million words: enough to be kept whole."""
_CACHED = 4096
_CACHE_KIND = "chinese-words"

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
def pieces(text: str) -> Cut:
    """Cut a text in any mix of scripts into words and marks, in order."""
    return cut(text, _tokenizer()) if has_han(text) else cut(text, None)


def cut(text: str, tokenizer: jieba.Tokenizer | None) -> Cut:
    """Cut a text with a given tokenizer; without one, runs of Han characters stay whole."""
    parts: list[Piece] = []
    for match in _PIECE.finditer(fold_script(text)):
        kind = match.lastgroup
        if kind == "han":
            run = match.group()
            han = tokenizer.lcut(run, HMM=False) if tokenizer is not None else [run]
            parts += [Piece("han", word) for word in han]
        elif kind == "latin":
            parts.append(Piece("latin", match.group()))
        else:
            parts.append(Piece("mark", match.group()))
    return tuple(parts)


def words(text: str) -> list[str]:
    """Return the words of a text, Chinese and others, in order and without marks."""
    return [piece.text for piece in pieces(text) if piece.kind != "mark"]


def frequency(word: str) -> int:
    """Return how often a Chinese word stands in jieba's 60 million words; 0 for one it lacks."""
    return int(_tokenizer().FREQ.get(word) or 0)


def warm() -> None:
    """Load what cutting needs, so that the first Chinese sentence need not wait. May block."""
    _tokenizer()


_lock = threading.Lock()
_loaded: jieba.Tokenizer | None = None


def _tokenizer() -> jieba.Tokenizer:
    """Return jieba with the scientific terms of the lexicon, loaded once per process."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                # Imported where needed: an English draft needs no dictionary.
                from cite_lsp.translate.lexicon import shipped_lexicon

                _loaded = make_tokenizer(shipped_lexicon().terms)
    return _loaded


def make_tokenizer(terms: Iterable[str]) -> jieba.Tokenizer:
    """Return a tokenizer that keeps terms whole."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old escapes in its source, pkg_resources
        import jieba
    # It announces what it loads on stderr, which editors show as errors of the server.
    jieba.setLogLevel(logging.CRITICAL)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ = _frequencies(tokenizer, jieba.__version__)
    tokenizer.total = sum(tokenizer.FREQ.values())
    tokenizer.initialized = True
    for term in terms:
        if not tokenizer.FREQ.get(term):
            tokenizer.add_word(term, _TERM_FREQUENCY)
    return tokenizer


def _frequencies(tokenizer: jieba.Tokenizer, version: str) -> dict[str, int]:
    """Return how often words stand in jieba's dictionary, and 0 for the beginnings of words.

    jieba would store them in the folder for temporary files, where anyone may put others, and
    believe what is damaged.
    """
    import numpy as np

    arrays = load_arrays(_CACHE_KIND, version)
    if arrays is None:
        frequencies: dict[str, int] = tokenizer.gen_pfdict(tokenizer.get_dict_file())[0]
        counts = np.array(list(frequencies.values()), dtype=np.int32)
        keep_arrays(_CACHE_KIND, version, {"words": text_array(frequencies), "counts": counts})
        return frequencies
    return dict(zip(texts_of(arrays["words"]), arrays["counts"].tolist(), strict=True))


@lru_cache(maxsize=1)
def _simplifier() -> Callable[[str], str]:
    from opencc import OpenCC

    convert: Callable[[str], str] = OpenCC("t2s").convert
    return convert
