"""The captions in the chunks of R Markdown and Quarto: prose, in the middle of code.

A caption is an option of the chunk, in its first line (`{r, fig.cap="As @key says"}`) or in a
comment of its own (`#| fig-cap: As @key says`); pandoc reads it with the rest of the draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Span

_NAME = r"(?:fig|tab|tbl|lst)[.-](?:sub)?cap"
_OPTION = r"[ \t>]*(?:\#|//|--|%)\|"
_IN_FIRST_LINE = lazy_re(
    rf"""\b{_NAME}[ \t]*=[ \t]*(?P<quote>["'])(?P<text>(?>(?:\\.|(?!(?P=quote))[^\\\n])*))""",
)
_IN_COMMENT = lazy_re(
    rf"^{_OPTION}[ \t]*{_NAME}:(?P<text>[^\n]*(?:\n{_OPTION}(?![ \t]*[\w.-]+:)[^\n]*)*)",
    re.MULTILINE,
)
_UP_TO_HERE = lazy_re(rf"(?:{_OPTION}[ \t]*{_NAME}:|[ \t>]*`{{3,}}\{{[^\n]*{_NAME}[ \t]*=)[^\n]*\Z")


def captions(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the ranges of the captions in a fenced block of code."""
    line = text.find("\n", start, end)
    for match in _IN_FIRST_LINE.finditer(text, start, end if line < 0 else line):
        yield match.span("text")
    for match in _IN_COMMENT.finditer(text, start, end):
        yield match.span("text")


def in_caption(text: str, offset: int) -> bool:
    """Whether an offset in code stands behind the name of a caption in its line."""
    return _UP_TO_HERE.match(text, text.rfind("\n", 0, offset) + 1, offset) is not None
