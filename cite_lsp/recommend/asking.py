"""The text with which a context asks the query encoder for its papers.

The encoder of papers places a sentence near texts that sound like it. What was cited there is often
no such text, so the query has an encoder of its own, taught by citations to place contexts among
the papers where they lie (`cite_lsp/train/recipes/query_encoder.py`): an index stays as it is.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from cite_lsp.encode.cached import CachedEncoder
from cite_lsp.encode.onnx import OnnxEncoder
from cite_lsp.manuscript.model import Context
from cite_lsp.manuscript.words import first_words, last_words
from cite_lsp.paths import shipped_model

NAME = "query-encoder"
LEFT, RIGHT = 45, 25
"""Words left and right of the marker; what is cited is mostly said before."""
HERE, _BETWEEN = "[MASK]", "[SEP]"


def asking_text(context: Context) -> str:
    """Return the words around a marker, a sign where it stands, and the title of the draft."""
    left, right = last_words(context.left, LEFT), first_words(context.right, RIGHT)
    return f"{left.strip()} {HERE} {right.strip()} {_BETWEEN} {context.title}".strip()


@cache
def _open(folder: Path) -> CachedEncoder:
    return CachedEncoder(OnnxEncoder(folder), on_disk=False)


def shipped_query_encoder() -> CachedEncoder:
    """Return the query encoder that ships, one for all corpora: a context is placed once.

    Raises:
        EncoderError: it is not there, or damaged.
    """
    return _open(shipped_model(NAME))
