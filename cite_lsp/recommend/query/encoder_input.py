"""The text with which a context asks the query encoder for its papers.

The encoder of papers places a sentence near texts that sound like it. What was cited there is often
no such text, so the query has an encoder of its own, taught by citations to place contexts among
the papers where they lie (`cite_lsp/train/encoders/query_encoder.py`): an index stays as it is.

Two encoders place a Chinese context. In a corpus one that reads Chinese finds far more
(`cite_lsp/train/encoders/query_encoder_zh.py`); in a writer's library, where the trees have the
draft's own habits to go by, the English one does as well that reads it word by word, and the
markers of both languages lie in one space (docs/research/experiments.md).
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from cite_lsp.encode.cached import CachedEncoder
from cite_lsp.encode.onnx import OnnxEncoder
from cite_lsp.language import has_han
from cite_lsp.manuscript.model import Context
from cite_lsp.manuscript.text.words import first_words, last_words
from cite_lsp.paths import shipped_model
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

NAME, CHINESE_NAME = "query-encoder", "query-encoder-zh"
LEFT, RIGHT = 45, 25
"""Words left and right of the marker; what is cited is mostly said before."""
NEAR = (80, 30)
"""Characters left and right of the marker that a Chinese context asks with."""
HERE, BETWEEN = "[MASK]", "[SEP]"


def asking_text(context: Context) -> str:
    """Return the words around a marker, a sign where it stands, and the title of the draft."""
    return _asking(context.left, context.right, context.title)


def asking_in_english(left: str, right: str, translator: DictionaryTranslator) -> str:
    """Return what a Chinese context asks with: the text next to its marker, word by word."""
    before, behind = translator.translate((left, right))
    return f"{before} {HERE} {behind} {BETWEEN}"


def asking_in_chinese(left: str, right: str) -> str:
    """Return what a Chinese context asks with who reads Chinese: the text next to its marker."""
    return f"{left[-NEAR[0] :]} {HERE} {right[: NEAR[1]]} {BETWEEN}"


@lru_cache(maxsize=16384)
def asking_of_place(left: str, right: str, title: str) -> str:
    """Return what a place of a draft asks with, in whatever language its text is.

    `left` and `right` are the text on either side, `title` that of the draft.
    """
    sides = chinese_sides(left, right)
    if sides is not None:
        return asking_in_english(*sides, shipped_translator())
    return _asking(left, right, title)


def chinese_sides(left: str, right: str) -> tuple[str, str] | None:
    """Return the text next to a marker, None where it holds no Chinese."""
    before, behind = left[-NEAR[0] :], right[: NEAR[1]]
    return (before, behind) if has_han(before) or has_han(behind) else None


def _asking(left: str, right: str, title: str) -> str:
    left, right = last_words(left, LEFT), first_words(right, RIGHT)
    return f"{left.strip()} {HERE} {right.strip()} {BETWEEN} {title}".strip()


@cache
def _open(folder: Path) -> CachedEncoder:
    return CachedEncoder(OnnxEncoder(folder))


def kept_query_encoder() -> CachedEncoder:
    """Return the query encoder that ships, one for all who ask: a context is placed once.

    What it makes is kept from one start to the next, as the other markers of a draft deserve.

    Raises:
        EncoderError: it is not there, or damaged.
    """
    return _open(shipped_model(NAME))


def shipped_query_encoder() -> CachedEncoder:
    """Return the same for what is being typed, which is not worth a write.

    Raises:
        EncoderError: it is not there, or damaged.
    """
    return kept_query_encoder().without_writing()


def shipped_chinese_query_encoder() -> CachedEncoder:
    """Return the one that reads Chinese, for what is being typed.

    Raises:
        EncoderError: it is not there, or damaged.
    """
    return _open(shipped_model(CHINESE_NAME)).without_writing()
