r"""The headings of a draft's own: `\newcommand{\para}[1]{\noindent\textbf{#1.}}`."""

from __future__ import annotations

import re

from cite_lsp.manuscript.arguments import closing_brace
from cite_lsp.manuscript.model import Command, HeadingCommand

_DEFINITION = re.compile(
    r"""\\[\\%]|%[^\n]*|\\(?:
      (?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*
        (?:\{\s*\\(?P<braced>[A-Za-z@]+)\s*\}|\\(?P<bare>[A-Za-z@]+))\s*\[\s*1\s*\]\s*(?=\{)
     |[egx]?def\s*\\(?P<defined>[A-Za-z@]+)\s*\#1\s*(?=\{)
    )""",
    re.VERBOSE,
)
_HEADING = re.compile(
    r"\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?\s*\{[^{}]*(?:\{[^{}]*)?\Z"
)
_PARAGRAPH = re.compile(r"\\(?:noindent|par|(?:small|med|big)skip|vspace|vskip)(?![A-Za-z@])")
_BOLD = re.compile(r"\\(?:textbf|textsc|bf|bfseries|scshape)(?![A-Za-z@])")
_MARKUP = re.compile(
    r"%[^\n]*|\\[vh]space\*?\s*\{[^{}]*\}|\\[vh]skip\s*-?[\d.]+\s*[a-z]{2}"
    r"|\\(?:text)?color\s*\{[^{}]*\}|\\[A-Za-z@]+\*?|\\."
)
_WORD = re.compile(r"\w")
_LONGEST_BODY = 400


def heading_commands(text: str) -> dict[str, Command]:
    """Return the commands that a draft defines to set its one argument as a heading."""
    headings: dict[str, Command] = {}
    for found in _DEFINITION.finditer(text):
        name = found["braced"] or found["bare"] or found["defined"]
        closing = closing_brace(text, found.end(), _LONGEST_BODY) if name else None
        if closing is None:
            continue
        before, title, after = text[found.end() + 1 : closing].partition("#1")
        named = _HEADING.search(before)
        if named:
            headings[name] = HeadingCommand(named[1])
        elif title and _runs_in(before, after):
            headings[name] = HeadingCommand("paragraph")
    return headings


def _runs_in(before: str, after: str) -> bool:
    """Whether what a body has around its argument begins a paragraph with it in bold type."""
    if not _PARAGRAPH.search(before) or not _BOLD.search(before):
        return False
    return not _WORD.search(_MARKUP.sub("", before) + _MARKUP.sub("", after))
