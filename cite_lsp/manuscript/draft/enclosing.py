"""A citation that has been begun in a note, and takes what closes the note for its own end."""

from __future__ import annotations

import re
from bisect import bisect_left

from cite_lsp.language import EAST_ASIAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import BLANK_LINE
from cite_lsp.manuscript.model import Marker
from cite_lsp.manuscript.text.brackets import closings
from cite_lsp.storage.memory import text_cache

_BRACKET = lazy_re(rf"\\.|[\[\]]|{BLANK_LINE.pattern}")
_HOLDER = {
    "latex": (lazy_re(r"(?=\{)"), lazy_re(r"\\.|%[^\n]*|[{}]", re.DOTALL)),
    "markdown": (lazy_re(r"(?<=[\^!])(?=\[)"), _BRACKET),
    "org": (lazy_re(r"(?=\[fn:)"), _BRACKET),
}
"""What a citation may stand in that ends with the same sign, and what opens and closes there."""
_STOPS = "，。．；：！？、）"
_WORD = lazy_re(
    rf"(?!(?<=[{{,])[{EAST_ASIAN}])"
    rf"(?:(?![{EAST_ASIAN}]{{0,80}}[{_STOPS}])[^\s,;()\[\]{{}}]|\([^\s,;()\[\]{{}}]*\))*(?<![.:!?…])"
)
"""The rest of a key; Chinese words are none that a stop or a comma ends, or with nothing typed."""
_CLAUSE = lazy_re(r"[,;]\s+[^\s,{}]+\s+[^\s,}%]|[,;]\s+[^\s,{}]*(?:~|\.\})")
"""What no list of keys of LaTeX goes on with: `, as they say`, `, p.~3`."""
_BLANKS = lazy_re(r"[ \t]*")
_PARAGRAPH_END = lazy_re(r"[.,;]?[ \t\r]*(?:\n[ \t\r]*)?(?:\n|\Z)")


def borrows_closing(text: str, format: str, marker: Marker, cursor: int) -> bool:
    r"""Whether a marker that has been begun at a cursor takes what closes a note for its own end.

    In `\footnote{So they say \cite{ here.}` and `\footnote{See \cite{}` there is one brace for two,
    in `^[See [@]` one bracket.
    A group that begins paragraphs before lacks its own where no other one does.
    """
    if marker.lists and text.endswith("{", 0, marker.lists[-1][0]):
        format = "latex"  # in a draft of another format, too
    if format not in _HOLDER:
        return False
    behind = word_end(text, cursor)
    clause = format == "latex" and _CLAUSE.match(text, behind)
    closing = "}" if format == "latex" else "]"
    blanks = _BLANKS.match(text, cursor)
    closed = blanks.end() if blanks else cursor
    empty = not marker.keys and text.startswith(closing, closed)
    if not (
        clause or empty or text[behind : behind + 1].strip(",}" if format == "latex" else ",;]")
    ):
        return False
    unclosed = _unclosed(text, format)
    paragraph = max(text.rfind("\n\n", 0, marker.start), 0)
    if bisect_left(unclosed, paragraph) < bisect_left(unclosed, marker.start):
        return True
    if format != "latex" or (empty and not _PARAGRAPH_END.match(text, closed + 1)):
        return False
    return len(unclosed) == 1 and unclosed[0] < marker.start


@text_cache(4)
def _unclosed(text: str, format: str) -> list[int]:
    """Return where what a citation may stand in begins and nothing closes it, in order."""
    holder, sign = _HOLDER[format]
    return sorted(
        start
        for start, end in closings(text, sign).items()
        if end == len(text) and holder.match(text, start)
    )


def word_end(text: str, cursor: int) -> int:
    """Return where the word ends in which a cursor is, without the stop behind it."""
    word = _WORD.match(text, cursor)
    return word.end() if word else cursor
