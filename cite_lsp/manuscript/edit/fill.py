"""How a place that waits for a citation is filled: what stands in for it gives way to the keys."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.edit.insertion import addition, respelled
from cite_lsp.manuscript.edit.style import Style, glue, new_marker, style_of
from cite_lsp.manuscript.model import STAND_IN, Marker, MarkerKey
from cite_lsp.manuscript.text.line_comments import comment_between

_OPENERS = "([{>`（［【「『“‘«\"'—–"
_BRACKETS = "([{（［【"
_BLANK_COMMAND = re.compile(r"\\[ ,;:!>\\]?\s*\Z")
r"""A blank of LaTeX that stands before a note, `al.\ [?]`, or the end of a line."""
_STOPS = ".!?。．！？"
_NEXT_STOP = re.compile(r"[.,!?。，．！？]+(?!\w)")


def fill(
    manuscript: Manuscript,
    marker: Marker,
    keys: Sequence[str],
    document: Sequence[Manuscript] = (),
    stand_in: MarkerKey | None = None,
) -> tuple[int, int, str]:
    r"""Return the range that is replaced where a marker is made to cite `keys`, and by what.

    A note that asks for a citation goes, and a new marker comes in the style of the draft
    (`document`, all files of it), before the full stop where the note stands behind it and the
    draft's markers do not. `stand_in` is the key of the marker that goes, `TODO` in `\cite{TODO}`;
    a marker without gets the keys that it lacks.
    """
    if marker.command == STAND_IN:
        style = style_of(document or (manuscript,))
        return instead(manuscript, marker, new_marker(style, keys), style)
    if stand_in is not None:
        return _renamed(manuscript, marker, stand_in, keys, document)
    offset, text = addition(manuscript, marker, keys, document)
    return offset, offset, text


def instead(manuscript: Manuscript, marker: Marker, new: str, style: Style) -> tuple[int, int, str]:
    """Return the range that is replaced where a `new` marker takes the place of words, by what."""
    text, start, end = manuscript.text, marker.start, marker.end
    word = len(text[:start].rstrip(" \t\r\n~"))
    parts = manuscript.format == "latex" and _BLANK_COMMAND.search(text, max(word - 2, 0), start)
    line, code = text.rfind("\n", 0, word) + 1, manuscript.layout.code
    commented = comment_between(text, manuscript.format, code, line, word) is not None
    if parts or commented or text[word - 1] in _BRACKETS:
        return start, end, _standing(manuscript, new, end)
    if text[word - 1] in _STOPS and not style.behind_stops and _ends_sentence(manuscript, marker):
        stop = len(text[:word].rstrip(_STOPS))
        return stop, end, glue(style, text[stop - 1]) + new + text[stop:word]
    behind = _NEXT_STOP.match(text, end) if style.behind_stops else None
    if _is_opened(manuscript, start) or "\n" in text[word:start]:
        written = new
    elif behind:
        return word, behind.end(), behind[0] + glue(style, behind[0][-1]) + new
    else:
        start, written = word, glue(style, text[word - 1]) + new
    return start, end, _standing(manuscript, written, end)


def _is_opened(manuscript: Manuscript, start: int) -> bool:
    """Whether what stands before an offset opens a bracket, a quotation or an emphasis there."""
    text = manuscript.text
    if manuscript.format != "latex" and text[start - 1] in "*_":
        return not text[:start].rstrip("*_")[-1:].strip()
    return text[start - 1] in _OPENERS


def _standing(manuscript: Manuscript, written: str, end: int) -> str:
    """Return a marker, parted from what follows it at `end` where it would be read with it."""
    return written + (" " if _goes_on(manuscript, end, written) else "")


def _ends_sentence(manuscript: Manuscript, marker: Marker) -> bool:
    """Whether no words of its sentence follow a marker: behind "et al." some may."""
    sentence = manuscript.sentence_at(marker.start)
    return sentence is not None and not sentence.start < marker.start < marker.end < sentence.end


def _goes_on(manuscript: Manuscript, end: int, written: str) -> bool:
    """Whether what follows would be read as more of the last key: of Typst's `@key` it would."""
    following = manuscript.text[end : end + 1]
    return manuscript.format == "typst" and not written.endswith(")") and following.isalnum()


def _renamed(
    manuscript: Manuscript,
    marker: Marker,
    stand_in: MarkerKey,
    keys: Sequence[str],
    document: Sequence[Manuscript],
) -> tuple[int, int, str]:
    """Put the first key in the place of another, and add those that are left."""
    text, rest = manuscript.text, keys[1:]
    start, end, first = respelled(manuscript, stand_in, keys[0])
    if not rest:
        return start, end, first
    offset, added = addition(manuscript, marker, rest, document)
    if offset < end:
        offset = min(offset, start)
        return offset, end, added + text[offset:start] + first
    return start, offset, first + text[end:offset] + added
