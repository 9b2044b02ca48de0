"""How a text with Chinese in it is laid out for an encoder that reads Chinese word by word."""

from __future__ import annotations

from cite_lsp.translate.segment import has_han, words

__all__ = ["has_han", "spaced"]


def spaced(text: str) -> str:
    """Return a text with blanks between its words, full-width and traditional forms folded."""
    return " ".join(words(text))
