"""The markup of web pages, which publishers leave in the titles and abstracts that they export."""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re

_ATTRIBUTE = r"\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*')"
_BLOCK = r"(?:p|br|jats:(?:p|title|sec|label|list(?:-item)?|disp-[a-z]+))"
_TAG = lazy_re(
    rf"</?(?:i(?:talic)?|b(?:old)?|em|strong|su[bp]|scp?|span|(?:jats|mml):[a-z-]+)(?:{_ATTRIBUTE})*\s*/?>",
    re.IGNORECASE,
)
_BREAK = lazy_re(rf"(?<!\s)\s*+(?:</?{_BLOCK}(?:{_ATTRIBUTE})*\s*/?>\s*+)+", re.IGNORECASE)
"""Where a paragraph begins or ends."""
_ENTITY = lazy_re(r"&(?:[a-z]+\d*|#\d{1,9}|#x[\da-f]{1,8});", re.IGNORECASE)


def without_markup(text: str) -> str:
    """Return a text as a browser shows it: `<i>h</i>-index`, `Q&amp;A`. Comparisons (p < q) stay.

    A blank parts paragraphs. Runs of blanks elsewhere are left as they are.
    """
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub(" ", text).strip())
    return _ENTITY.sub(_unescaped, text) if "&" in text and ";" in text else text


def _unescaped(entity: re.Match[str]) -> str:
    # Imported where needed: few names hold entities, of which it has a long table.
    from html import unescape

    return unescape(entity.group())
