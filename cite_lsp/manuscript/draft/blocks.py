"""The paragraphs of prose in a draft, footnotes as paragraphs of their own."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

from attrs import field, frozen

from cite_lsp.manuscript.latex.citation_commands import reads_as_words
from cite_lsp.manuscript.layout import BLANK_LINE, Layout, Span
from cite_lsp.manuscript.model import Marker
from cite_lsp.manuscript.text.plain import Hole, Token
from cite_lsp.manuscript.text.prose import Paragraph, read_paragraph
from cite_lsp.manuscript.text.sentences import MARKER_SIGN, NOTE_SIGN, TEXTUAL_SIGN

_TYPED_KEYS = re.compile(r"[^\s,]*(?:,[ \t]*[^\s,]*)*")

_STOP = re.compile(
    r"(?:\\(?:text|mbox)\{\s*(?P<worded>[.。．])\s*\}"
    r"|(?<!\\right)(?<!\\right )(?<!\\bigr)(?<!\\Bigr)(?P<plain>[.。．]))\s*+(?:%[^\n]*\n\s*+)?"
    r"(?:(?:\\(?:label|tag)\{[^{}]*\}|\\(?:nonumber|notag|qedhere))\s*+)*"
    r"(?:(?:\\end\{\w+\*?\}\s*+)++|(?:\\end\{\w+\*?\}\s*+)?(?:\\\]|\$\$?|\\[A-Za-z@]+))\Z"
)
"""The full stop of a sentence that ends with a displayed formula. `\\right.` is no sign at all."""
_LONGEST_TAIL = 80


@frozen(eq=False)
class Block:
    """A paragraph of prose: its range, and whether it is one of a footnote.

    `holes` are what is left out of it, `readings` its abbreviations and what they stand for, both
    relative to its start.
    """

    start: int
    end: int
    note: bool
    raw: str = field(repr=False)
    markup: str = field(repr=False)
    holes: tuple[Hole, ...] = field(repr=False)
    readings: tuple[Token, ...] = field(default=(), repr=False)

    @cached_property
    def paragraph(self) -> Paragraph:
        """The paragraph in plain text and sentences."""
        return read_paragraph(self.raw, self.markup, self.holes, self.readings)

    def holds(self, offset: int) -> bool:
        """Whether an offset is inside, both edges included."""
        return self.start <= offset <= self.end

    def plain(self, start: int, end: int) -> str:
        """Return the plain text of the part inside a range of the draft, marker signs left in."""
        return self.paragraph.text[slice(*self._plain_range(start, end))]

    def plain_end(self, start: int, end: int, count: int) -> str:
        """Return the last `count` characters of `plain`, at no more cost than that."""
        first, last = self._plain_range(start, end)
        return self.paragraph.text[max(first, last - count) : last]

    def plain_beginning(self, start: int, end: int, count: int) -> str:
        """Return the first `count` characters of `plain`, at no more cost than that."""
        first, last = self._plain_range(start, end)
        return self.paragraph.text[first : min(first + count, last)]

    def _plain_range(self, start: int, end: int) -> Span:
        paragraph = self.paragraph
        first = paragraph.plain_offset(start - self.start) if start > self.start else 0
        last = len(paragraph.text)
        if end < self.end:
            last = paragraph.plain_offset(end - self.start)
        return first, last


@frozen(eq=False)
class Cutter:
    """Makes paragraphs of ranges of a draft.

    `readings` are its abbreviations, in order, and what they stand for.
    """

    text: str = field(repr=False)
    markup: str
    layout: Layout = field(repr=False)
    readings: tuple[Token, ...] = field(default=(), repr=False)

    @cached_property
    def holes(self) -> list[Hole]:
        """All that is left out of the prose, by its start; holes may nest."""
        layout, text = self.layout, self.text
        return sorted(
            (
                *((*hole, self._stop(hole)) for hole in layout.holes),
                *((start, end, MARKER_SIGN) for start, end in layout.references),
                *((note.start, note.end, NOTE_SIGN) for note in layout.notes),
                *((m.start, hidden_end(text, m), self._sign(m)) for m in layout.markers),
            ),
            key=lambda hole: (hole[0], -hole[1]),
        )

    def _stop(self, hole: Span) -> str:
        match = _STOP.search(self.text, *_tail(hole))
        return match["worded"] or match["plain"] if match else ""

    def _sign(self, marker: Marker) -> str:
        if marker.silent:
            return ""
        return TEXTUAL_SIGN if reads_as_words(self.text, self.markup, marker) else MARKER_SIGN

    @cached_property
    def _hole_starts(self) -> list[int]:
        return [hole[0] for hole in self.holes]

    @cached_property
    def _reading_starts(self) -> list[int]:
        return [reading[0] for reading in self.readings]

    def holes_between(self, start: int, end: int) -> list[Hole]:
        """Return the holes that begin in a range."""
        first, last = (bisect_left(self._hole_starts, place) for place in (start, end))
        return self.holes[first:last]

    def cut(self, start: int, end: int, note: bool = False) -> Block | None:
        """Return the paragraph, or the footnote, in a range; None if there is nothing in it."""
        raw = self.text[start:end].strip()
        if not raw:
            return None
        start = self.text.index(raw, start)
        end = start + len(raw)
        holes = _relative(_outermost(self.holes_between(start, end)), start, end)
        first, last = (bisect_left(self._reading_starts, place) for place in (start, end))
        readings = _relative(self.readings[first:last], start, end)
        return Block(start, end, note, raw, self.markup, holes, readings)


def _tail(hole: Span) -> Span:
    start, end = hole
    return max(start, end - _LONGEST_TAIL), end


def _relative(ranges: Iterable[Hole], start: int, end: int) -> tuple[Hole, ...]:
    return tuple((first - start, min(last, end) - start, sign) for first, last, sign in ranges)


def blocks_of(cutter: Cutter) -> tuple[Block, ...]:
    """Cut the prose of a draft, and each note, into paragraphs at blank lines and borders."""
    start, stop = cutter.layout.prose
    borders = sorted(cutter.layout.borders)
    body = [span for span in borders if span[1] > start and span[0] < stop]
    spans = [
        (*span, False)
        for span in _paragraphs(cutter.text, (start, stop), body, _outermost(cutter.holes))
    ]
    starts = [span[0] for span in borders]
    for note in cutter.layout.notes:
        if not start <= note.start < stop:
            continue
        # A border that reaches out of the note is that of what holds it: of a heading, say.
        first, last = (bisect_left(starts, place) for place in (note.body, note.close))
        inside = [span for span in borders[first:last] if span[1] <= note.close]
        holes = _outermost(cutter.holes_between(note.body, note.close))
        span = note.body, note.close
        spans += [(*paragraph, True) for paragraph in _paragraphs(cutter.text, span, inside, holes)]
    blocks = (cutter.cut(*span) for span in sorted(spans))
    return tuple(block for block in blocks if block)


def hidden_end(text: str, marker: Marker) -> int:
    """Return where the prose goes on behind a marker.

    Behind an unclosed one that is where the first thing that looks like keys ends: the rest of the
    line was most likely there before the marker was begun.
    """
    if marker.closed or not marker.lists:
        return marker.end
    match = _TYPED_KEYS.match(text, marker.lists[-1][0], marker.end)
    return match.end() if match else marker.end


def _outermost(holes: list[Hole]) -> list[Hole]:
    """Drop the holes (sorted) inside others, so that those left follow one another.

    Of one that reaches beyond another, as something unclosed may, the rest is left.
    """
    outermost: list[Hole] = []
    for start, end, sign in holes:
        behind = outermost[-1][1] if outermost else start
        if end > behind or start >= behind:
            outermost.append((max(start, behind), end, sign))
    return outermost


def _paragraphs(text: str, span: Span, borders: list[Span], holes: list[Hole]) -> list[Span]:
    start, stop = span
    cuts = [*borders]
    cuts += [match.span() for match in BLANK_LINE.finditer(text, start, stop)]
    cuts.sort()
    cuts.append((stop, stop))
    spans: list[Span] = []
    position, number = start, 0
    for cut_start, cut_end in cuts:
        while number < len(holes) and holes[number][1] <= cut_start:
            number += 1
        inside = number < len(holes) and holes[number][0] < cut_start
        if inside and cut_start < stop:  # a blank line in a footnote or a formula cuts nothing
            continue
        if cut_start > position:
            spans.append((position, cut_start))
        position = max(position, cut_end)
        while number < len(holes) and holes[number][1] <= position:
            number += 1
        if number < len(holes) and holes[number][0] < position:  # a footnote begun in a heading
            position = holes[number][1]
    return spans
