"""Comments that run to the end of their line: of LaTeX behind `%`, of Typst behind `//`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Span

_SIGNS = {"latex": lazy_re(r"(?<!\\)(?:\\\\)*%"), "typst": lazy_re(r"(?<![:/])/(?=/)")}


def comment_between(
    text: str, format: str, code: Iterable[Span], start: int, end: int
) -> int | None:
    """Return where the first comment begins in a range of one line, or None.

    A sign in `code` begins none, and an address is code, too: `https://example.org/a%20b`.
    """
    signs = _SIGNS.get(format)
    for match in signs.finditer(text, start, end) if signs else ():
        sign = match.end() - 1
        if not any(first < sign < last for first, last in code):
            return sign
    return None


def matches_in_code(text: str, pattern: re.Pattern[str]) -> bool:
    """Whether a pattern matches in LaTeX outside of comments."""
    starts = (match.start() for match in pattern.finditer(text))
    return any(
        comment_between(text, "latex", (), text.rfind("\n", 0, start) + 1, start) is None
        for start in starts
    )
