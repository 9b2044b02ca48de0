"""The markup of web pages, which publishers leave in the titles and abstracts that they export."""

from __future__ import annotations

import re

_ATTRIBUTE = r"\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*')"
_TAG = re.compile(
    rf"</?(?:i|b|em|strong|su[bp]|scp?|span|p|br|(?:jats|mml):[a-z-]+)(?:{_ATTRIBUTE})*\s*/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:[a-z]+\d*|#\d+|#x[\da-f]+);", re.IGNORECASE)


def without_markup(text: str) -> str:
    """Return a text as a browser shows it: `<i>h</i>-index`, `Q&amp;A`. Comparisons (p < q) stay.

    Runs of blanks are left as they are.
    """
    if "<" in text:
        text = _TAG.sub("", text)
    return _ENTITY.sub(_meant, text) if "&" in text and ";" in text else text


def _meant(entity: re.Match[str]) -> str:
    from html import unescape

    return unescape(entity.group())
