"""The tables of pandoc whose columns lines of dashes part: simple ones, and those of several lines.

A simple one has a row in each line, and ends at a blank one; between two whole lines of dashes
blank lines part the rows. Without a head a table ends with a line of dashes.
"""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import BLANK_LINE, Span, Table
from cite_lsp.manuscript.text.pipe_tables import caption_below

_COLUMNS = lazy_re(r"[ \t]*-{2,}(?:[ \t]+-{2,})+[ \t\r]*(?=\n|\Z)")
_WHOLE = lazy_re(r"[ \t]*-{3,}[ \t\r]*(?=\n)")
_CLOSING = lazy_re(r"^[ \t]*---[- \t]*+(?=\r?(?:\n[ \t\r]*)?(?:\n|\Z))", re.MULTILINE)
_DASHES = lazy_re(r"^[ \t]*--[- \t]*+\r?$", re.MULTILINE)
_ROW = lazy_re(r"\n(?=[ \t]*\S)")
_PARTED_ROW = lazy_re(r"\n[ \t\r]*\n(?=[ \t]*\S)")
_MOST_LINES_OF_HEAD = 8
LONGEST = 20_000


def has_columns(text: str, line: int) -> bool:
    """Whether the line at an offset is one of dashes with gaps: a table may end far below it."""
    return _COLUMNS.match(text, line) is not None


def ruled_table(text: str, start: int, line: int) -> Table | None:
    """Return the table whose columns the line at an offset parts, if one begins behind `start`."""
    rule = _COLUMNS.match(text, line)
    if not rule:
        return None
    head = _head(text, start, line)
    framed = head < line and _WHOLE.match(text, head) is not None
    if not framed and text.count("\n", head, line) > 1:
        return None
    blank = BLANK_LINE.search(text, rule.end())
    stop = blank.start() if blank else len(text)
    closing = _CLOSING.search(text, rule.end() + 1, rule.end() + LONGEST if framed else stop + 2)
    if not closing and head == line:
        return None
    end = closing.end() if closing else stop
    parted = _PARTED_ROW if framed and closing else _ROW
    rows = [head, min(rule.end() + 1, end)]
    rows += [row.end() for row in parted.finditer(text, rule.end() + 1, end)]
    return Table(head, head, end, caption_below(text, end), tuple(rows))


def rules_in(text: str, table: Table) -> list[Span]:
    """Return the lines of dashes in a table."""
    return [match.span() for match in _DASHES.finditer(text, table.start, table.end)]


def _head(text: str, start: int, line: int) -> int:
    """Return where the lines begin that no blank line parts from the line at an offset."""
    head = line
    for _ in range(_MOST_LINES_OF_HEAD):
        above = max(text.rfind("\n", start, max(head - 1, start)) + 1, start)
        if head <= start or not text[above:head].strip():
            break
        head = above
    return head
