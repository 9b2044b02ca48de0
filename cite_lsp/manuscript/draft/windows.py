"""The words around a place in a draft, fifty on either side, as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.draft.blocks import Block, hidden_end
from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.latex.tables import without_figures
from cite_lsp.manuscript.layout import Note
from cite_lsp.manuscript.model import Marker
from cite_lsp.manuscript.text.edited import Stretch
from cite_lsp.manuscript.text.paragraphs import (
    LONG,
    MOST_LONG,
    Paragraph,
    clean_beginning,
    clean_end,
)
from cite_lsp.manuscript.text.plain import SEE_PATTERN
from cite_lsp.storage.memory import text_cache

WORDS = 50
"""Words on either side of a marker, after Tanaka et al."""
_CHARACTERS = 900
"""How many characters are read to find so many words: words of 18 characters on average."""
_PARAGRAPHS = 60
_MOST_MARKERS = 5000
"""A file with more markers is a list that a program wrote: only its keys are of use."""
_OPEN_BRACKET = lazy_re(
    rf"(?<![\s(\[（［])[\s(\[（［]*(?:[(\[（［]\s*+"
    rf"(?:{SEE_PATTERN}(?:,? {SEE_PATTERN})?|见|参见|例如|如)?[,，]?\s*+)$",
    re.IGNORECASE,
)

Window = tuple[str, str]
_MarkerRange = tuple[int, int]


def left_words(manuscript: Manuscript, offset: int) -> str:
    """Return the words before an offset in its (sub)section, or in a table its caption and row."""
    if row := manuscript.row_at(offset):
        table, block = row
        cells = block.plain_end(block.start, max(offset, block.start), _CHARACTERS)
        return _last(f"{table.caption_for(offset)}\n{without_figures(cells)}")
    start, _ = manuscript.window(offset)
    return _last(_text_before(manuscript, offset, start))


def right_words(manuscript: Manuscript, offset: int) -> str:
    """Return the words behind an offset, on to the end of the (sub)section, or of a table's row."""
    if row := manuscript.row_at(offset):
        _, block = row
        cells = block.plain_beginning(min(offset, block.end), block.end, _CHARACTERS)
        return _first(without_figures(cells))
    _, end = manuscript.window(offset)
    return _first(_text_after(manuscript, offset, end))


def words_around_note(
    manuscript: Manuscript, note: Note, reference: int, place: _MarkerRange
) -> Window:
    """Return the words around a place in a footnote that stands apart, referred to at an offset.

    They are those that it would have if it stood there.
    """
    start, end = manuscript.window(reference)
    before = _text_before(manuscript, reference, start)
    after = _text_after(manuscript, reference, end)
    note_parts = manuscript.prose(note.body, place[0]), manuscript.prose(place[1], note.close)
    return _last(f"{before}\n{note_parts[0]}"), _first(f"{note_parts[1]}\n{after}")


def marker_windows(manuscript: Manuscript) -> tuple[Window, ...]:
    """Return the words around each marker of `cited`, after an edit those near it read anew."""
    windows = manuscript.read_parts.windows
    if windows is None:
        windows = manuscript.read_parts.windows = _windows_after_edit(manuscript)
    return windows


def _windows_after_edit(manuscript: Manuscript) -> tuple[Window, ...]:
    cited, edit = manuscript.cited, manuscript.edit
    if len(cited) > _MOST_MARKERS:
        return (("", ""),) * len(cited)
    if edit is None or edit.windows is None:
        return _windows_of(manuscript, cited)
    above, below = edited_markers(manuscript, edit.stretch)
    return (
        *edit.windows[:above],
        *_windows_of(manuscript, cited[above:below]),
        *edit.windows[len(edit.windows) - (len(cited) - below) :],
    )


def edited_markers(manuscript: Manuscript, stretch: Stretch) -> tuple[int, int]:
    """Return which markers (of `cited`) stand in the sections that an edit touches: first:last."""
    start, end = manuscript.window(stretch.start)[0], manuscript.window(stretch.end)[1]
    return manuscript.cited_before(start), manuscript.cited_before(end)


def _windows_of(manuscript: Manuscript, markers: Iterable[Marker]) -> tuple[Window, ...]:
    ranges = [(marker.start, hidden_end(manuscript.text, marker)) for marker in markers]
    windows: list[Window] = []
    for block, in_block in groupby(
        ranges, lambda marker_range: _common_block(manuscript, marker_range)
    ):
        if block is None:
            windows += (
                (left_words(manuscript, a), right_words(manuscript, b)) for a, b in in_block
            )
            continue
        start, end = manuscript.window(block.start)
        in_paragraph = _of_long if len(block.paragraph.text) > LONG else _of_short
        windows += in_paragraph(
            block.paragraph,
            _text_before(manuscript, block.start, start, block),
            _text_after(manuscript, block.end, end, block),
            tuple((first - block.start, last - block.start) for first, last in in_block),
        )
    return tuple(windows)


def _common_block(manuscript: Manuscript, marker_range: _MarkerRange) -> Block | None:
    """Return the paragraph around a marker; None in a table, a footnote or across sections."""
    if manuscript.row_at(marker_range[0]):
        return None
    block = manuscript.block_at(marker_range[0])
    if block is None or block.note or marker_range[1] > block.end or marker_range[0] == block.start:
        return None
    start, end = manuscript.window(marker_range[0])
    return block if start <= block.start and block.end <= end else None


def _windows_in(
    paragraph: Paragraph, before: str, after: str, ranges: tuple[_MarkerRange, ...]
) -> tuple[Window, ...]:
    text = paragraph.text
    windows = []
    for start, end in ranges:
        first, last = paragraph.plain_offset(start), paragraph.plain_offset(end)
        text_before = text[max(first - _CHARACTERS, 0) : first]
        left = (
            f"{before}\n{text_before}" if before and len(text_before) < _CHARACTERS else text_before
        )
        text_after = text[last : last + _CHARACTERS]
        right = f"{text_after}\n{after}" if after and len(text_after) < _CHARACTERS else text_after
        windows.append((_last(left), _first(right)))
    return tuple(windows)


_of_short, _of_long = text_cache(8192)(_windows_in), text_cache(MOST_LONG)(_windows_in)


def _last(text: str) -> str:
    return _OPEN_BRACKET.sub("", clean_end(text[-_CHARACTERS:], WORDS))


def _first(text: str) -> str:
    return clean_beginning(text[:_CHARACTERS], WORDS)


def _text_before(
    manuscript: Manuscript, offset: int, start: int, without: Block | None = None
) -> str:
    blocks = (block for block in manuscript.blocks_before(offset, start) if block is not without)
    parts = _up_to_limit(block.plain_end(start, offset, _CHARACTERS) for block in blocks)
    return "\n".join(reversed(parts))[-_CHARACTERS:]


def _text_after(manuscript: Manuscript, offset: int, end: int, without: Block | None = None) -> str:
    blocks = (block for block in manuscript.blocks_after(offset, end) if block is not without)
    parts = _up_to_limit(block.plain_beginning(offset, end, _CHARACTERS) for block in blocks)
    return "\n".join(parts)[:_CHARACTERS]


def _up_to_limit(texts: Iterable[str]) -> list[str]:
    parts: list[str] = []
    length = 0
    for text in texts:
        parts.append(text)
        length += len(text)
        if length >= _CHARACTERS or len(parts) > _PARAGRAPHS:
            break
    return parts
