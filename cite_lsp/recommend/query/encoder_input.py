"""The input of the query encoder: the text of a Context as it was trained on, and the encoders.

The encoder of papers maps a sentence near texts that sound like it. The cited paper often does not,
so queries have an encoder of their own, trained on citations to map a context near the papers
cited there (`cite_lsp/train/encoders/query_encoder.py`), among the vectors of an unchanged index.

Two encoders can read a Chinese context. In a corpus, the Chinese one finds far more
(`cite_lsp/train/encoders/query_encoder_zh.py`). In a writer's library, where the ranker also knows
how the draft cites, the English one with a translation word by word does as well, and the markers
of both languages lie in one space (docs/research/experiments.md).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.kinds.onnx import OnnxEncoder
from cite_lsp.language import has_han
from cite_lsp.manuscript.model import Context, Mention
from cite_lsp.manuscript.text.word_windows import first_words, last_words
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.threads import ENCODING_THREADS
from cite_lsp.storage.memory import text_cache
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

QUERY_ENCODER, CHINESE_QUERY_ENCODER = "query-encoder", "query-encoder-zh"
LIBRARY_QUERY_ENCODER = "library-query-encoder"
"""The encoders that ship: for corpora and precedents, English and Chinese; and for libraries."""
LEFT, RIGHT = 45, 25
"""Words left and right of the marker; a cited paper is mostly described before it."""
NEAR = (80, 30)
"""Characters left and right of the marker in a Chinese query text."""
HERE, BETWEEN = "[MASK]", "[SEP]"


def query_text(context: Context) -> str:
    """Return the query text of a context: the words around its marker, and the draft's title."""
    return _query_text(context.left, context.right, context.title)


def english_query_text(left: str, right: str, translator: DictionaryTranslator) -> str:
    """Return the query text of a Chinese context in English: its near window, word by word."""
    before, behind = translator.translate((left, right))
    return f"{before} {HERE} {behind} {BETWEEN}"


def chinese_query_text(left: str, right: str) -> str:
    """Return the query text of a Chinese context for the Chinese encoder: its near window."""
    return f"{left[-NEAR[0] :]} {HERE} {right[: NEAR[1]]} {BETWEEN}"


@text_cache(16384)
def query_text_at(left: str, right: str, title: str) -> str:
    """Return the query text of a place in a draft, whatever its language.

    `left` and `right` are the text on either side, `title` is that of the draft.
    """
    sides = chinese_sides(left, right)
    if sides is not None:
        return english_query_text(*sides, shipped_translator())
    return _query_text(left, right, title)


def query_text_of_mention(mention: Mention, title: str) -> str:
    """Return the query text of a marker of the draft; `title` is that of the draft."""
    return query_text_at(mention.left, mention.right, title)


def chinese_sides(left: str, right: str) -> tuple[str, str] | None:
    """Return the text left and right of a marker, None if there is no Chinese in it."""
    before, behind = left[-NEAR[0] :], right[: NEAR[1]]
    return (before, behind) if has_han(before) or has_han(behind) else None


def _query_text(left: str, right: str, title: str) -> str:
    left, right = last_words(left, LEFT), first_words(right, RIGHT)
    return f"{left.strip()} {HERE} {right.strip()} {BETWEEN} {title}".strip()


@cache
def open_query_encoder(folder: Path, threads: int = ENCODING_THREADS) -> CachedEncoder:
    """Return the query encoder of a folder, with a cache on disk; the same object for all callers.

    `threads` is how many texts are encoded at a time.

    Raises:
        EncoderError: it is missing or damaged.
    """
    return CachedEncoder(OnnxEncoder(folder, threads=threads))


def cached_query_encoder(threads: int = ENCODING_THREADS) -> CachedEncoder:
    """Return the query encoder that ships, with its cache on disk; the same object for all callers.

    It is for the markers of drafts, which stay from one start to the next, and for precedents.

    Raises:
        EncoderError: it is missing or damaged.
    """
    return open_query_encoder(shipped_model(QUERY_ENCODER), threads)


def shipped_query_encoder() -> CachedEncoder:
    """Return the query encoder that ships without writes to its cache, for text being typed.

    Raises:
        EncoderError: it is missing or damaged.
    """
    return cached_query_encoder().without_writing()


def shipped_chinese_query_encoder() -> CachedEncoder:
    """Return the Chinese query encoder that ships, without writes to its cache.

    Raises:
        EncoderError: it is missing or damaged.
    """
    return open_query_encoder(shipped_model(CHINESE_QUERY_ENCODER)).without_writing()
