"""The tables of Markdown and Org drafts whose cells stand between pipes: rows and captions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Span, Table, is_within

_RULE = lazy_re(r"^[ \t]*[|:-](?=[^\n]*\|)(?=[^\n]*-)[-:| \t]*\r?$", re.MULTILINE)
_CAPTION = lazy_re(
    r"\n(?:[ \t\r]*\n)?(?:Table|表)?:[ \t]+(?P<text>\S[^\n]*(?:\n[ \t]*+[^\s|][^|\n]*+(?!\|))*)"
)
_PIPE = lazy_re(r"(?<!\\)\|")
_ORG_TABLE = lazy_re(r"^[ \t]*\|[^\n]*(?:\n[ \t]*\|[^\n]*)*", re.MULTILINE)
_ORG_KEYWORD = lazy_re(r"[ \t]*#\+")
_ORG_CAPTION = lazy_re(
    r"^[ \t]*#\+caption(?:\[[^\]\n]*\])?:[ \t]*(?P<text>\S[^\n]*)", re.MULTILINE | re.IGNORECASE
)
_MOST_ABOVE = 2000
"""Characters above a table in which its keywords stand, its caption among them."""
_LINE_END = lazy_re(r"\n")


def markdown_tables(text: str, start: int, code: Sequence[Span]) -> Iterator[Table]:
    """Yield the tables of Markdown behind `start`; `code` are ranges, in order, without any."""
    position = start
    while rule := _RULE.search(text, position):
        position = rule.end()
        if is_within(code, rule.start()):
            continue
        head = max(text.rfind("\n", start, max(rule.start() - 1, start)) + 1, start)
        if not _PIPE.search(text, head, max(rule.start() - 1, head)):
            continue
        rows = [head]
        end = rule.end()
        while end < len(text):
            line_end = text.find("\n", end + 1)
            line_end = len(text) if line_end < 0 else line_end
            if not _PIPE.search(text, end + 1, line_end):
                break
            rows.append(end + 1)
            end = line_end
        yield Table(head, head, end, caption_below(text, end), tuple(rows))
        position = end


def caption_below(text: str, end: int) -> tuple[Span, ...]:
    """Return the caption that follows a table that ends at an offset, if any."""
    caption = _CAPTION.match(text, end)
    return (caption.span("text"),) if caption else ()


def org_tables(text: str, code: Sequence[Span]) -> Iterator[Table]:
    """Yield the tables of Org; `code` are ranges, in order, in which there is none."""
    for match in _ORG_TABLE.finditer(text):
        start, end = match.span()
        if is_within(code, start):
            continue
        rows = (start, *(line.end() for line in _LINE_END.finditer(text, start, end)))
        captions = _ORG_CAPTION.finditer(text, _keywords_above(text, start), start)
        spans = tuple(caption.span("text") for caption in captions)
        yield Table(start, start, end, spans, rows)


def _keywords_above(text: str, start: int) -> int:
    """Return where the first of the lines with keywords begins that stand right above a line."""
    first, furthest = start, max(start - _MOST_ABOVE, 0)
    while first > furthest:
        before = text.rfind("\n", max(furthest - 1, 0), first - 1)
        if (before < 0 and furthest) or not _ORG_KEYWORD.match(text, before + 1, first):
            break
        first = before + 1
    return first


def pipes_in(text: str, table: Table) -> Iterator[Span]:
    """Yield the signs between the cells of a table."""
    for pipe in _PIPE.finditer(text, table.start, table.end):
        yield pipe.span()
