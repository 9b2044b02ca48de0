"""Which paragraphs of a text an edit has touched."""

from __future__ import annotations

from attrs import frozen

from cite_lsp.manuscript.text.text_diff import difference

_LONGEST = 60_000
"""Characters of a stretch, above which reading it again is hardly less work than reading all."""
_BLANK = " \t\r"
_LONGEST_GAP = 1000
"""Characters in which blank lines are looked for; more of them than fit there are an edge."""


@frozen
class Stretch:
    """A range of a text, `start`:`end`, and where it ended in the text before."""

    start: int
    end: int
    end_before: int

    @property
    def shift(self) -> int:
        """How far what stands behind it has moved."""
        return self.end - self.end_before


def edited_stretch(before: str, text: str) -> Stretch | None:
    """Return the paragraphs that differ, with one more on either side.

    It begins behind a blank line, and ends before one or with the text. None where there is no
    paragraph before it, where it is very long, or near a line of other blanks, such as a form feed:
    those are blank to some patterns and not to others.
    """
    edit = difference(before, text)
    stretch = stretch_around(before, edit.start, edit.end)
    if stretch is None:
        return None
    return Stretch(stretch.start, stretch.end + len(text) - len(before), stretch.end)


def stretch_around(text: str, start: int, end: int) -> Stretch | None:
    """Return the paragraphs around a range of a text, as `edited_stretch` does around an edit."""
    first, last = _paragraph_above(text, start), _paragraph_below(text, end)
    if first is None or last is None or last - first > _LONGEST:
        return None
    return Stretch(first, last, last)


def last_letter(text: str, offset: int) -> int:
    """Return where the last line ends that stands before an offset and is not blank.

    Where the text ends at the offset, nothing stands behind the blanks: it is that offset.
    """
    if offset == len(text):
        return offset
    start = max(offset - _LONGEST_GAP, 0)
    return start + len(text[start:offset].rstrip())


def _paragraph_above(text: str, offset: int) -> int | None:
    """Return where the paragraph begins that ends above the one around an offset."""
    end = text.rfind("\n", 0, offset)
    blank = above = False
    while end >= 0 and offset - end < _LONGEST:
        start = text.rfind("\n", 0, end) + 1
        line = text[start:end].strip(_BLANK)
        if line.isspace():
            return None
        if line:
            above = blank
        elif above:
            return end + 1
        else:
            blank = True
        end = start - 1
    return None


def _paragraph_below(text: str, offset: int) -> int | None:
    """Return where the paragraph ends that begins below the one around an offset."""
    start = text.find("\n", offset) + 1
    blank = below = False
    while start and start - offset < _LONGEST:
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)].strip(_BLANK)
        if line.isspace():
            return None
        if line:
            below = blank
        elif below:
            return start
        else:
            blank = True
        start = end + 1
    return None if start else len(text)
