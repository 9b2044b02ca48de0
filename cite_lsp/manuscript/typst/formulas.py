"""Where a formula of Typst ends: strings, comments and content in it may hold dollars."""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import paragraph_end
from cite_lsp.manuscript.typst.patterns import NESTING

LONGEST_FORMULA = 3000
_SIGN = lazy_re(
    r'\\.|"(?:[^"\\\n]|\\.|\n(?![ \t\r]*\n)){0,400}+"'
    r"|(?<!:)//[^\n]*|/\*|\$|\#[A-Za-z_][\w.-]*[(\[]?|\#\[|[\[\]]",
    re.DOTALL,
)
"""What may begin or end something: a string, a comment, a call, content, another formula.

Neither a string nor the arguments of a call are looked for beyond their paragraph: what stands in
one does not change how those before it read.
"""
_DEEPEST = 100
"""Brackets within each other that the arguments of a call may have."""
_PLAIN = lazy_re(r"\$(?:[^$\\]|\\.){0,3000}?\$", re.DOTALL)


def formula_end(text: str, start: int) -> int | None:
    """Return the offset behind the formula whose dollar stands at `start`, None without an end."""
    return _closing(text, start, min(start + LONGEST_FORMULA, len(text)))


def next_dollar(text: str, start: int) -> int | None:
    """Return the offset behind the next dollar: the end of a formula that is half typed."""
    plain = _PLAIN.match(text, start)
    return plain.end() if plain else None


def _closing(text: str, start: int, stop: int) -> int | None:
    opened = ["$"]
    calls_close = True
    position = start + 1
    while sign := _SIGN.search(text, position, stop):
        token, position = sign.group(), sign.end()
        in_formula = opened[-1] == "$"
        if (token == "$" and in_formula) or (token == "]" and not in_formula):
            opened.pop()
            if not opened:
                return position
        elif token == "$" or (token == "[" and not in_formula):
            opened.append(token)
        elif token == "/*":
            close = text.find("*/", position, stop)
            position = stop if close < 0 else close + 2
        elif token.startswith('"') and not in_formula:
            position = sign.start() + 1
        elif token.startswith("#"):
            if token.endswith("(") and calls_close:
                end = _behind_call(text, position, paragraph_end(text, position, stop))
                calls_close = end is not None
                position = position if end is None else end + text.startswith("[", end)
            if text[position - 1] == "[":
                opened.append("[")
    return None


def _behind_call(text: str, start: int, stop: int) -> int | None:
    """Return the offset behind the bracket that closes the arguments of a call, or None."""
    depth = 1
    for bracket in NESTING.finditer(text, start, stop):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(bracket.group(), 0)
        if not depth:
            return bracket.end()
        if depth > _DEEPEST:
            return None
    return None
