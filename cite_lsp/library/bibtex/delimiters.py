"""Where what is opened in BibTeX is closed: braces, and the parentheses around a record."""

from __future__ import annotations

from attrs import Factory, define

from cite_lsp.lazy_re import lazy_re

DEPTH = 6
"""Braces nested deeper than this are counted one by one; no title needs as many."""


def balanced(depth: int) -> str:
    """Return a pattern for text with balanced braces, `depth` levels of them.

    Every quantifier is possessive, so an unbalanced text fails after one look at each character.
    """
    pattern = r"[^{}]*+"
    for _ in range(depth):
        pattern = rf"(?>(?:[^{{}}]++|\{{{pattern}\}})*)"
    return pattern


_TO_CLOSING_BRACE = lazy_re(balanced(DEPTH) + r"\}")
_BRACE = lazy_re(r"[{}]")
_MARK = lazy_re(r'[{}"()]')


def closing(text: str, start: int, end: int, opener: str = "{") -> int:
    """Return the offset just after the delimiter that closes what was opened just before `start`.

    Braces count as BibTeX counts them, escaped ones too. With `(` the closing `)` stands outside
    of all braces and quotes.

    Returns:
        The offset, or -1 where nothing closes before `end`.
    """
    return Delimiters(text).closing(start, end, opener)


class Delimiters:
    """Tells of one text, asked about at many places, where what is opened there is closed.

    What nothing closes is not looked for again from each place: a stretch is gone through once, and
    the next one is as long as all that was asked about of it.
    """

    def __init__(self, text: str) -> None:
        """Take the text; nothing is looked at before it is asked about."""
        self._text = text
        self._stretches: dict[str, _Stretch] = {}

    def closing(self, start: int, end: int, opener: str = "{") -> int:
        """Return what the function of that name does, of the text; `opener` stands at `start`-1."""
        if opener == "{":
            simple_value = _TO_CLOSING_BRACE.match(self._text, start, end)
            if simple_value:
                return simple_value.end()
        stretch = self._stretches.get(opener)
        if stretch is None or not stretch[0] <= start <= end <= stretch[1]:
            further = min(max(2 * end - start, end), len(self._text))
            closers = (_closed_braces if opener == "{" else _closed_parentheses)(
                self._text, start, further
            )
            stretch = self._stretches[opener] = start, further, closers
        after = stretch[2].get(start, -1)
        return after if after <= end else -1


_Stretch = tuple[int, int, dict[int, int]]
"""What is closed from a start to an end: the offsets behind both delimiters."""


def _closed_braces(text: str, start: int, end: int) -> dict[int, int]:
    """Return where each brace is closed that is opened just before `start` or behind it."""
    closers: dict[int, int] = {}
    opened = [start]
    for mark in _BRACE.finditer(text, start, end):
        if mark.group() == "{":
            opened.append(mark.end())
        elif opened:
            closers[opened.pop()] = mark.end()
    return closers


@define
class _Level:
    """The parentheses that wait for one outside of braces: whether in quotes or not."""

    quoted: bool = False
    opened: tuple[list[int], list[int]] = Factory(lambda: ([], []))


def _closed_parentheses(text: str, start: int, end: int) -> dict[int, int]:
    """Return where each parenthesis is closed that is opened just before `start` or behind it."""
    closers: dict[int, int] = {}
    levels = [_Level(opened=([start], []))]
    for mark in _MARK.finditer(text, start, end):
        level = levels[-1]
        match mark.group():
            case "{":
                levels.append(_Level())
            case "}":
                levels.pop()
                levels = levels or [_Level()]
            case '"':
                level.quoted = not level.quoted
            case "(":
                level.opened[level.quoted].append(mark.end())
            case ")":
                closers.update(dict.fromkeys(level.opened[level.quoted], mark.end()))
                level.opened[level.quoted].clear()
    return closers
