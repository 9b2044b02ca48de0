"""Comments: those up to the end of a line, of LaTeX and Typst, and those that something closes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Span
from cite_lsp.storage.memory import text_cache

LATEX_COMMENT = lazy_re(r"%(?:(?<!\\%)|(?<=\\\\%)(?<!\\\\\\%))[^\n]*")
"""A sign behind one backslash begins none, and behind two it does: `\\\\% a line is broken`."""
_LINE_END = lazy_re(rf"{LATEX_COMMENT.pattern}\n?[ \t]*")
_SIGNS = {"latex": lazy_re(r"(?<!\\)(?:\\\\)*%"), "typst": lazy_re(r"(?<![:/])/(?=/)")}
_HIDDEN_LATEX = r"\\(?:iffalse|begin\{comment\})"
_BLOCKS = {
    "latex": lazy_re(r"\\(?:if|else|begin\{comment\})"),
    "markdown": lazy_re(rf"<!--|%%|\{{(?:>>|--|~~)|\{{%-?\s*comment\b|{_HIDDEN_LATEX}"),
    "typst": lazy_re(r"/\*"),
    "org": lazy_re(rf"@@comment:|{_HIDDEN_LATEX}"),
}
"""What comments that need not end with their line begin with, where the scan leaves them out."""


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """Return a text with blanks in the place of what a pattern finds, all else where it stood."""
    return pattern.sub(lambda match: " " * len(match.group()), text)


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


def begins_block(text: str, format: str, start: int) -> bool:
    r"""Whether what the scan leaves out from an offset on is a comment, or LaTeX that is not read.

    Of LaTeX they are conditionals: `\iffalse … \fi`, and what is behind an `\else`.
    """
    return _BLOCKS[format].match(text, start) is not None


@text_cache(4)
def without_comments(text: str) -> str:
    r"""Return LaTeX with blanks in the place of comments, all else where it stood, cached.

    What stands in `\verb` or an address is taken for LaTeX, too: use it for commands.
    """
    return blanked(LATEX_COMMENT, text)


def uncommented(text: str) -> str:
    """Return LaTeX as TeX reads it: without comments, the ends of their lines, and what indents."""
    return _LINE_END.sub("", text)


def matches_in_code(text: str, pattern: re.Pattern[str]) -> bool:
    """Whether a pattern matches in LaTeX outside of comments."""
    return bool(pattern.search(text) and pattern.search(without_comments(text)))
