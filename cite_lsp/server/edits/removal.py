"""How a record is removed from a file without leaving a hole."""

from __future__ import annotations

from cite_lsp.lazy_re import lazy_re

_BREAK = lazy_re(r"\r\n?|\n")
_BREAKS = lazy_re(r"(?:\r\n?|\n){1,2}")
_BLANK_LINE = lazy_re(r"(?:\r\n|\n|\r(?!\n)){2}\Z")


def behind_record(text: str, start: int, end: int) -> int:
    """Return up to where to remove a record: with its line break, and one of two blank lines."""
    pattern = _BREAKS if not start or _BLANK_LINE.search(text, max(start - 4, 0), start) else _BREAK
    match = pattern.match(text, end)
    return match.end() if match else end
