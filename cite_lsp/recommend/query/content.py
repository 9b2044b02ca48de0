"""What is said around a marker, sentence by sentence: what a hierarchical encoder reads of it.

Source: Zhang and Ma, MP-BERT4CR (2021): fundamental sentences, that of the marker and its
neighbours, and supplemental ones from the rest of the manuscript.
"""

from __future__ import annotations

from attrs import frozen

from cite_lsp.encode.kinds.hierarchical import PARAGRAPH
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.query.query import sentences_around


@frozen
class Content:
    """The sentences of a context: the fundamental three, others of its window, and titles."""

    fundamental: tuple[str, ...]
    others: tuple[str, ...]
    titles: tuple[str, ...]

    def text(self) -> str:
        """Return all of it as a text, the fundamental sentences first."""
        return as_text(self.fundamental, self.titles, self.others)


def content_of(context: Context) -> Content:
    """Return the sentences of a context, markers removed."""
    sentences, place = sentences_around(context.left, context.right)
    start, end = max(place - 1, 0), place + 2
    titles = (context.section_title, context.title)
    return Content(
        tuple(filter(None, sentences[start:end])),
        tuple(filter(None, sentences[:start] + sentences[end:])),
        tuple(filter(None, titles)),
    )


def content_text(context: Context) -> str:
    """Return what a hierarchical encoder reads of a context."""
    return content_of(context).text()


def as_text(*groups: tuple[str, ...]) -> str:
    """Return sentences as a text that is split in the same places again."""
    return PARAGRAPH.join(sentence for group in groups for sentence in group)
