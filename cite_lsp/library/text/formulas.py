r"""Formulas in titles: which dollars enclose one, and which are dollars.

Titles of arXiv, of publishers and of aggregators are plain text but for formulas (`$O(n^2)$`), and
not all of those are whole: `$ ^+ ^-$` lost its commands on the way and would set no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from cite_lsp.lazy_re import lazy_re

_INSIDE = r"(?:[^$\\]|\\.)"
_FORMULA = lazy_re(
    rf"""
      (?<!\\)\$(?={_INSIDE}*?[\\^_{{]){_INSIDE}+\$     # it holds what only formulas do
    | (?<!\\)\$(?=\s){_INSIDE}+\$                      # no amount: a blank behind the dollar
    | (?<!\\)\$(?!\s|\d[\d.,]*\s+[a-z]{{2}}){_INSIDE}*?[^\s$]\$(?!\d)  # not "$5 to $10"
    | \\\((?:[^\\$]|\\(?!\)).)+\\\)
    """,
    re.VERBOSE | re.DOTALL,
)
_BRACES = lazy_re(r"[{}]")
_ARGUMENT = r"(?:\\[A-Za-z]+|\{[^{}]*\}|[^\s{}\\^_])"
_UNSOUND = lazy_re(
    rf"[\^_]\s*(?:[\^_}}$]|\\\)|$)|\^\s*{_ARGUMENT}\s*\^|_\s*{_ARGUMENT}\s*_|\\left\b(?!.*\\right\b)"
)


def split_at_formulas(text: str) -> Iterator[tuple[str, bool]]:
    """Cut a text into pieces, in order, each with whether it is a formula that TeX can set."""
    done = 0
    for formula in _FORMULA.finditer(text):
        if is_balanced(formula.group()) and not _UNSOUND.search(formula.group().strip("$")):
            yield text[done : formula.start()], False
            yield formula.group(), True
            done = formula.end()
    yield text[done:], False


def outside_formulas(text: str, change: Callable[[str], str]) -> str:
    """Return a text of which all but its formulas has been changed."""
    if "$" not in text and "\\(" not in text:
        return change(text)
    return "".join(
        piece if formula else change(piece) for piece, formula in split_at_formulas(text) if piece
    )


def is_balanced(text: str) -> bool:
    """Whether every brace of a text closes; as in BibTeX, escaped ones count."""
    depth = 0
    for brace in _BRACES.findall(text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0
