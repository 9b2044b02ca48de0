"""The paragraphs of prose in a draft, footnotes as paragraphs of their own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

from attrs import field, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.commands.citation_commands import is_textual
from cite_lsp.manuscript.layout import BLANK_LINE, Layout, Span
from cite_lsp.manuscript.model import Marker
from cite_lsp.manuscript.text.paragraphs import Paragraph, read_paragraph
from cite_lsp.manuscript.text.plain import Markup, Omission, Token
from cite_lsp.manuscript.text.sentences import MARKER_SIGN, NOTE_SIGN, TEXTUAL_SIGN

_TYPED_KEYS = lazy_re(r"[^\s,]*(?:,[ \t]*[^\s,]*)*")

_STOP = lazy_re(
    r"(?:\\(?:text|mbox)\{\s*(?P<worded>[.。．])\s*\}"
    r"|(?<!\\right)(?<!\\right )(?<!\\bigr)(?<!\\Bigr)(?P<plain>[.。．]))\s*+(?:%[^\n]*\n\s*+)?"
    r"(?:(?:\\(?:label|tag)\{[^{}]*\}|\\(?:nonumber|notag|qedhere))\s*+)*"
    r"(?:(?:\\end\{\w+\*?\}\s*+)++|(?:\\end\{\w+\*?\}\s*+)?(?:\\\]|\$\$?|\\[A-Za-z@]+))\Z"
)
"""The full stop of a sentence that ends with a displayed formula. `\\right.` is no sign at all."""
_LONGEST_TAIL = 80


@frozen(eq=False)
class Block:
    """A paragraph of prose: its range, and whether it belongs to a footnote.

    `omissions` are the ranges that are left out of it, `expansions` are its abbreviations with what
    they stand for. Both are relative to its start.
    """

    start: int
    end: int
    note: bool
    raw: str = field(repr=False)
    markup: Markup = field(repr=False)
    omissions: tuple[Omission, ...] = field(repr=False)
    expansions: tuple[Token, ...] = field(default=(), repr=False)

    @cached_property
    def paragraph(self) -> Paragraph:
        """The paragraph in plain text and sentences."""
        return read_paragraph(self.raw, self.markup, self.omissions, self.expansions)

    def shifted(self, by: int) -> Block:
        """Return the same paragraph so many characters further."""
        return Block(
            self.start + by,
            self.end + by,
            self.note,
            self.raw,
            self.markup,
            self.omissions,
            self.expansions,
        )

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
    """Makes paragraphs of ranges of a draft; `expansions` are its abbreviations, in order."""

    text: str = field(repr=False)
    format: str
    layout: Layout = field(repr=False)
    expansions: tuple[Token, ...] = field(default=(), repr=False)

    @cached_property
    def omissions(self) -> list[Omission]:
        """The ranges that are left out of the prose, by start; they may nest."""
        layout, text = self.layout, self.text
        return sorted(
            (
                *((*omission, self._stop(omission)) for omission in layout.omissions),
                *((start, end, MARKER_SIGN) for start, end in layout.references),
                *((note.start, note.end, NOTE_SIGN) for note in layout.notes),
                *((m.start, hidden_end(text, m), self._sign(m)) for m in layout.markers),
            ),
            key=lambda omission: (omission[0], -omission[1]),
        )

    def _stop(self, omission: Span) -> str:
        match = _STOP.search(self.text, *_tail(omission))
        return match["worded"] or match["plain"] if match else ""

    def _sign(self, marker: Marker) -> str:
        if marker.silent:
            return ""
        return TEXTUAL_SIGN if is_textual(self.text, self.format, marker) else MARKER_SIGN

    @cached_property
    def _omission_starts(self) -> list[int]:
        return [omission[0] for omission in self.omissions]

    @cached_property
    def _expansion_starts(self) -> list[int]:
        return [expansion[0] for expansion in self.expansions]

    def omissions_between(self, start: int, end: int) -> list[Omission]:
        """Return the omissions that begin in a range."""
        first, last = (bisect_left(self._omission_starts, place) for place in (start, end))
        return self.omissions[first:last]

    def cut(self, start: int, end: int, note: bool = False) -> Block | None:
        """Return the paragraph, or the footnote, in a range; None if there is nothing in it."""
        raw = self.text[start:end].strip()
        if not raw:
            return None
        start = self.text.index(raw, start)
        end = start + len(raw)
        omissions = _relative(_outermost(self.omissions_between(start, end)), start, end)
        first, last = (bisect_left(self._expansion_starts, place) for place in (start, end))
        expansions = _relative(self.expansions[first:last], start, end)
        return Block(start, end, note, raw, self.layout.markup, omissions, expansions)


def _tail(omission: Span) -> Span:
    start, end = omission
    return max(start, end - _LONGEST_TAIL), end


def _relative(ranges: Iterable[Omission], start: int, end: int) -> tuple[Omission, ...]:
    return tuple((first - start, min(last, end) - start, sign) for first, last, sign in ranges)


def blocks_of(cutter: Cutter) -> tuple[Block, ...]:
    """Cut the prose of a draft, and each note, into paragraphs at blank lines and borders."""
    start, stop = cutter.layout.prose
    borders = sorted(cutter.layout.borders)
    body = [span for span in borders if span[1] > start and span[0] < stop]
    spans = [
        (*span, False)
        for span in _paragraphs(cutter.text, (start, stop), body, _outermost(cutter.omissions))
    ]
    starts = [span[0] for span in borders]
    for note in cutter.layout.notes:
        if not start <= note.start < stop:
            continue
        # A border that reaches out of the note is that of what holds it: of a heading, say.
        first, last = (bisect_left(starts, place) for place in (note.body, note.close))
        inside = [span for span in borders[first:last] if span[1] <= note.close]
        omissions = _outermost(cutter.omissions_between(note.body, note.close))
        span = note.body, note.close
        spans += [
            (*paragraph, True) for paragraph in _paragraphs(cutter.text, span, inside, omissions)
        ]
    blocks = (cutter.cut(*span) for span in sorted(spans))
    return tuple(block for block in blocks if block)


def hidden_end(text: str, marker: Marker) -> int:
    """Return where the prose goes on behind a marker.

    Behind an unclosed marker, that is the end of the first text that looks like keys: the rest of
    the line was most likely there before the writer began the marker.
    """
    if marker.closed or not marker.lists:
        return marker.end
    match = _TYPED_KEYS.match(text, marker.lists[-1][0], marker.end)
    return match.end() if match else marker.end


def _outermost(omissions: list[Omission]) -> list[Omission]:
    """Drop the omissions (sorted) that lie inside others, so that the rest do not overlap.

    An omission that reaches beyond the previous one, as an unclosed one may, is cut at its end.
    """
    outermost: list[Omission] = []
    for start, end, sign in omissions:
        behind = outermost[-1][1] if outermost else start
        if end > behind or start >= behind:
            outermost.append((max(start, behind), end, sign))
    return outermost


def _paragraphs(
    text: str, span: Span, borders: list[Span], omissions: list[Omission]
) -> list[Span]:
    start, stop = span
    cuts = [*borders]
    cuts += [match.span() for match in BLANK_LINE.finditer(text, start, stop)]
    cuts.sort()
    cuts.append((stop, stop))
    spans: list[Span] = []
    position, number = start, 0
    for cut_start, cut_end in cuts:
        while number < len(omissions) and omissions[number][1] <= cut_start:
            number += 1
        inside = number < len(omissions) and omissions[number][0] < cut_start
        if inside and cut_start < stop:  # a blank line in a footnote or a formula cuts nothing
            continue
        if cut_start > position:
            spans.append((position, cut_start))
        position = max(position, cut_end)
        while number < len(omissions) and omissions[number][1] <= position:
            number += 1
        if (
            number < len(omissions) and omissions[number][0] < position
        ):  # a footnote begun in a heading
            position = omissions[number][1]
    return spans
