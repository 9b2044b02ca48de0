"""Windows for recipe `worthiness-encoder`: consecutive sentences, read in one pass.

One pass over a window says something of each of its sentences, with the others as their context
(Cohan et al., "Pretrained language models for sequential sentence classification", EMNLP 2019). A
window begins with the title of the section; what stands before its first sentence and after its
last is there, too, but is not asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from cite_lsp.train.data.labelled_sentences import LabelledSentence

if TYPE_CHECKING:
    from tokenizers import Tokenizer

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


def windows_of(sentences: Sequence[LabelledSentence], tokenizer: Tokenizer) -> list[Window]:
    """Return the windows of sentences in the order of their documents; each sentence is in one.

    The tokenizer must neither cut nor pad.
    """
    texts = sorted(
        {
            text
            for row in sentences
            for text in (
                *(row.passage.sentence, row.passage.previous, row.passage.next),
                row.passage.section_title,
            )
        }
    )
    encoded = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    tokens = {text: code.ids[:_LONGEST] for text, code in zip(texts, encoded, strict=True)}
    first, end = tokenizer.encode("").ids  # [CLS] and [SEP]
    windows = []
    for rows in _runs(sentences, [len(tokens[row.passage.sentence]) + 1 for row in sentences]):
        start, last = sentences[rows[0]].passage, sentences[rows[-1]].passage
        read = [first, *tokens[start.section_title][:_TITLE], end]
        if before := tokens[start.previous][-_BESIDE:]:
            read += [*before, end]
        places = []
        for row in rows:
            begin = len(read)
            read += [*tokens[sentences[row].passage.sentence], end]
            places.append((begin, len(read)))
        if after := tokens[last.next][:_BESIDE]:
            read += [*after, end]
        windows.append(Window(read, places, rows))
    return windows


def _runs(sentences: Sequence[LabelledSentence], lengths: Sequence[int]) -> Iterator[range]:
    """Yield the places of sentences that follow one another and fit into a window."""
    start = size = 0
    for place, length in enumerate(lengths):
        if place > start and (
            size + length > MOST_TOKENS or not _follows(sentences[place - 1], sentences[place])
        ):
            yield range(start, place)
            start, size = place, 0
        size += length
    if start < len(sentences):
        yield range(start, len(sentences))


def _follows(first: LabelledSentence, second: LabelledSentence) -> bool:
    """Whether a sentence stands right behind another one in the same section."""
    return (
        first.document == second.document
        and first.passage.section_title == second.passage.section_title
        and first.passage.next == second.passage.sentence
    )
