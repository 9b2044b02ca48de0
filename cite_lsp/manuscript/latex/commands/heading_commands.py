r"""The headings of a draft's own: `\newcommand{\para}[1]{\noindent\textbf{#1.}}`."""

from __future__ import annotations

from collections.abc import Iterable

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.commands.definitions import Definition
from cite_lsp.manuscript.model import Command, HeadingCommand

_HEADING = lazy_re(
    r"\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?\s*\{[^{}]*(?:\{[^{}]*)?\Z"
)
_PARAGRAPH = lazy_re(r"\\(?:noindent|par|(?:small|med|big)skip|vspace|vskip)(?![A-Za-z@])")
_BOLD = lazy_re(r"\\(?:textbf|textsc|bf|bfseries|scshape)(?![A-Za-z@])")
_MARKUP = lazy_re(
    r"%[^\n]*|\\[vh]space\*?\s*\{[^{}]*\}|\\[vh]skip\s*-?[\d.]+\s*[a-z]{2}"
    r"|\\(?:text)?color\s*\{[^{}]*\}|\\[A-Za-z@]+\*?|\\."
)
_WORD = lazy_re(r"\w")
_LONGEST_BODY = 400


def heading_commands(definitions: Iterable[Definition]) -> dict[str, Command]:
    """Return the commands that a draft defines to set their only argument as a heading."""
    headings: dict[str, Command] = {}
    for definition in definitions:
        alone = definition.arguments == 1 and not definition.optional and not definition.delimiter
        body = definition.body(_LONGEST_BODY) if alone else None
        if body is None:
            continue
        before, title, after = body.partition("#1")
        named = _HEADING.search(before)
        if named:
            headings[definition.name] = HeadingCommand(named[1])
        elif title and _runs_in(before, after):
            headings[definition.name] = HeadingCommand("paragraph")
    return headings


def _runs_in(before: str, after: str) -> bool:
    """Whether what a body has around its argument begins a paragraph with it in bold type."""
    if not _PARAGRAPH.search(before) or not _BOLD.search(before):
        return False
    return not _WORD.search(_MARKUP.sub("", before) + _MARKUP.sub("", after))
