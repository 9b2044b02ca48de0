"""Markup as plain text; a paragraph sentence by sentence, with the way back to the source."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from attrs import frozen

from cite_lsp.manuscript.text.plain import (
    Markup,
    Omission,
    Token,
    clean,
    clean_middle,
    plain_pieces,
)
from cite_lsp.manuscript.text.sentences import MARKER_SIGN, TEXTUAL_SIGN, sentence_spans
from cite_lsp.manuscript.text.word_windows import first_words, last_words
from cite_lsp.storage.memory import text_cache

LONG = 4_000
"""Characters from which on a paragraph is long: a chapter without blank lines, say."""
MOST_LONG = 128
"""Long paragraphs of which results are cached: every state of one is read."""


def shown_text(
    raw: str, markup: Markup, omissions: tuple[Omission, ...], expansions: tuple[Token, ...]
) -> str:
    """Return a piece of markup as a reader recognises it: see `read_paragraph`.

    What plain text leaves out for want of words, the number of a figure say, is an ellipsis, and a
    citation that is part of the sentence is "[…]".
    """

    def shown(raw: str, start: int, end: int) -> Iterator[Token]:
        # The markers are left out before: what still reads like one refers to something.
        for first, last, text in markup.shown_tokens(raw, start, end):
            yield first, last, "…" if text == MARKER_SIGN else text

    parts = plain_pieces(raw, omissions, shown, expansions)
    return clean("".join(part[0] for part in parts)).replace(TEXTUAL_SIGN, "[…]")


@text_cache(4096)
def plain_text(raw: str, markup: Markup, expansions: tuple[Token, ...] = ()) -> str:
    """Return a piece of markup in plain text: a title, a heading, an abstract."""
    return clean("".join(piece[0] for piece in plain_pieces(raw, (), markup.tokens, expansions)))


@frozen(eq=False)
class Paragraph:
    """A paragraph's plain text, signs for its markers still in it, and its sentences.

    `starts` are the offsets in `text` where pieces begin, `sources` and `ends` the ranges in the
    raw paragraph that they come from. A piece that was copied as it stands is as long as its range.
    """

    text: str
    starts: tuple[int, ...]
    sources: tuple[int, ...]
    ends: tuple[int, ...]
    sentences: tuple[tuple[int, int, str], ...]
    """Range in the raw paragraph, and plain text."""

    def plain_offset(self, source: int) -> int:
        """Return where in `text` the raw offset `source` falls."""
        piece = bisect_right(self.sources, source) - 1
        if piece < 0:
            return 0
        start = self.starts[piece]
        next_start = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        if source >= self.ends[piece]:
            return next_start
        return min(start + source - self.sources[piece], next_start)


def read_paragraph(
    raw: str, markup: Markup, omissions: tuple[Omission, ...], expansions: tuple[Token, ...]
) -> Paragraph:
    """Read a raw paragraph: `omissions` are left out, `expansions` what its abbreviations mean."""
    read = _read_long if len(raw) > LONG else _read_short
    return read(raw, markup, omissions, expansions)


def _read(
    raw: str, markup: Markup, omissions: tuple[Omission, ...], expansions: tuple[Token, ...]
) -> Paragraph:
    parts = plain_pieces(raw, omissions, markup.tokens, expansions)
    text = "".join(part[0] for part in parts)
    starts, at = [], 0
    for part in parts:
        starts.append(at)
        at += len(part[0])
    sentences: list[tuple[int, int, str]] = []
    spans = sentence_spans(text)
    text = text.replace(TEXTUAL_SIGN, MARKER_SIGN)
    for start, end in spans:
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        piece, source, source_end = parts[first]
        copied = len(piece) == source_end - source
        source_start = source + (start - starts[first] if copied else 0)
        piece, source, source_end = parts[last]
        if len(piece) == source_end - source:
            source_end = source + end - starts[last]
        sentence = clean(text[start:end])
        if sentences and source_start <= sentences[-1][0]:  # both inside one formula or code
            source_start, _, before = sentences.pop()
            sentence = f"{before} {sentence}"
        sentences.append((source_start, source_end, sentence))
    return Paragraph(
        text,
        tuple(starts),
        tuple(part[1] for part in parts),
        tuple(part[2] for part in parts),
        tuple(sentences),
    )


_read_short, _read_long = text_cache(4096)(_read), text_cache(MOST_LONG)(_read)


@text_cache(8192)
def clean_end(text: str, count: int) -> str:
    """Return the last `count` words of a paragraph, cleaned."""
    return last_words(clean(text), count)


@text_cache(8192)
def clean_beginning(text: str, count: int) -> str:
    """Return the first `count` words behind a marker, cleaned.

    The sign behind the marker stays: it says whether the sentence ends there.
    """
    return first_words(clean_middle(text).lstrip(" )]}）】"), count)
