r"""Lines and positions of a text, counted the way editors count them.

The Language Server Protocol breaks lines at `\n`, `\r\n` and `\r` and nowhere else (Python's
`splitlines` knows eight more), and counts the characters of a line in UTF-8 bytes, UTF-16 units or
code points, as the client and the server agreed. Everything else here counts code points.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal

from attrs import Factory, field, frozen

from cite_lsp.lazy_re import lazy_re

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_BREAK = lazy_re(r"\r\n|\r|\n")
_ASTRAL = lazy_re("[\U00010000-\U0010ffff]")
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


@frozen
class LineIndex:
    """A text and where its lines begin; an edit returns a new index, so threads may share it."""

    text: str = field(repr=False)
    starts: tuple[int, ...] = field(
        default=Factory(lambda self: _line_starts(self.text), takes_self=True),
        repr=False,
        eq=False,
    )

    def __len__(self) -> int:
        """Return the number of lines; an empty text has one line."""
        return len(self.starts)

    def line_of(self, offset: int) -> int:
        """Return the 0-based line that holds a code-point offset, which is clamped to the text."""
        return bisect_right(self.starts, max(offset, 0)) - 1

    def line_end(self, line: int) -> int:
        """Return the offset where the characters of a line end, its line break left out."""
        if line + 1 >= len(self.starts):
            return len(self.text)
        after = self.starts[line + 1]
        pair = after >= 2 and self.text[after - 2 : after] == "\r\n"
        return after - 2 if pair else after - 1

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """Return the code-point offset of a position in the protocol's units.

        As the protocol says, a character past the end of its line means that end and a line past
        the last one the end of the text. A position inside a character means the beginning of that
        character.
        """
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        start, end = self.starts[line], self.line_end(line)
        character = max(character, 0)
        if encoding == "utf-32" or character == 0:
            return min(start + character, end)
        # No character is narrower than a unit, so these are all that the position can reach.
        reach = self.text[start : min(start + character, end)]
        if reach.isascii():
            return start + len(reach)
        count = _characters_of_utf8 if encoding == "utf-8" else _characters_of_utf16
        return start + count(reach, character)

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        r"""Return the (line, character) of a code-point offset in the protocol's units.

        Offsets outside the text are clamped; one between `\r` and `\n` means the end of the line.
        """
        line = self.line_of(offset)
        start = self.starts[line]
        before = self.text[start : max(start, min(offset, self.line_end(line)))]
        return line, width(before, encoding)

    def replace(self, start: int, end: int, text: str) -> LineIndex:
        """Return the index with `start`:`end` replaced; only what was touched is scanned.

        Offsets are clamped to the text and put in order.
        """
        start, end = sorted((max(start, 0), max(end, 0)))
        start, end = min(start, len(self.text)), min(end, len(self.text))
        after = start + len(text)
        edited = "".join((self.text[:start], text, self.text[end:]))
        # The character before the edit is scanned again and the one behind it looked at: an edit
        # can join or part a \r\n there. A break that ends behind `end` ends there whatever was
        # edited.
        touched = _BREAK.finditer(edited, max(start - 1, 0), after + 1)
        above = self.starts[: max(bisect_right(self.starts, start - 1), 1)]
        inside = tuple(match.end() for match in touched if match.end() <= after)
        below = self.starts[bisect_right(self.starts, end) :]
        if shift := after - end:
            below = tuple([begin + shift for begin in below])
        return LineIndex(edited, above + inside + below)


def width(text: str, encoding: Encoding) -> int:
    """Return the length of a text in units of an encoding; a lone surrogate is one (or 3 bytes)."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _line_starts(text: str) -> tuple[int, ...]:
    return (0, *(match.end() for match in _BREAK.finditer(text)))


def _characters_of_utf8(text: str, units: int) -> int:
    data = text.encode("utf-8", "surrogatepass")
    while 0 < units < len(data) and data[units] in _CONTINUATION_BYTES:
        units -= 1
    return len(data[:units].translate(None, _CONTINUATION_BYTES))


def _characters_of_utf16(text: str, units: int) -> int:
    for pairs, match in enumerate(_ASTRAL.finditer(text)):
        if units <= match.start() + pairs:
            return units - pairs
    return min(len(text), units - len(_ASTRAL.findall(text)))
