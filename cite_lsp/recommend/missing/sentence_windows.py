"""Windows: consecutive sentences that an encoder reads in one pass (`window_reader`).

One pass over a window says something of each of its sentences, with the others as their context
(Cohan et al., "Pretrained language models for sequential sentence classification", EMNLP 2019). A
window begins with the title of the section; what stands before its first sentence and after its
last is there, too, but is not asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from cite_lsp.encode.tokenizer import Tokenizer
from cite_lsp.recommend.missing.passages import Passage

MOST_TOKENS = 120
"""Tokens of the sentences that a window asks about."""
_LONGEST = 64
"""Tokens at which a sentence is cut."""
_BESIDE = 24
"""Tokens of the sentence before a window, its last, and of the one after, its first."""
_TITLE = 12
"""Tokens of a title."""


@frozen
class Window:
    """Tokens, and the sentences among them.

    places: where the tokens of each sentence begin and end, its separator included. rows: which
    sentences they are.
    """

    tokens: Sequence[int]
    places: Sequence[tuple[int, int]]
    rows: range


def windows_of(passages: Sequence[Passage], tokenizer: Tokenizer) -> list[Window]:
    """Return the windows of sentences in the order of their texts; each sentence is in one."""
    texts = sorted(
        {
            text
            for row in passages
            for text in (row.sentence, row.previous, row.next, row.section_title)
        }
    )
    tokens = dict(zip(texts, tokenizer.pieces(texts, _LONGEST), strict=True))
    (first,), (end,) = tokenizer.around  # [CLS] and [SEP]
    windows = []
    for rows in _runs(passages, [len(tokens[row.sentence]) + 1 for row in passages]):
        start, last = passages[rows[0]], passages[rows[-1]]
        read = [first, *tokens[start.section_title][:_TITLE], end]
        if before := tokens[start.previous][-_BESIDE:]:
            read += [*before, end]
        places = []
        for row in rows:
            begin = len(read)
            read += [*tokens[passages[row].sentence], end]
            places.append((begin, len(read)))
        if after := tokens[last.next][:_BESIDE]:
            read += [*after, end]
        windows.append(Window(read, places, rows))
    return windows


def _runs(passages: Sequence[Passage], lengths: Sequence[int]) -> Iterator[range]:
    """Yield the places of sentences that follow one another and fit into a window."""
    start = size = 0
    for place, length in enumerate(lengths):
        if place > start and (
            size + length > MOST_TOKENS or not _follows(passages[place - 1], passages[place])
        ):
            yield range(start, place)
            start, size = place, 0
        size += length
    if start < len(passages):
        yield range(start, len(passages))


def _follows(first: Passage, second: Passage) -> bool:
    """Whether a sentence stands right behind another one in the same section."""
    return first.section_title == second.section_title and first.next == second.sentence
