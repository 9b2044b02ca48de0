"""Sentences of a draft as they are shown to its writer."""

from __future__ import annotations

from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.model import Sentence
from cite_lsp.manuscript.text.paragraphs import shown_text


def readable_sentence(manuscript: Manuscript, sentence: Sentence) -> str:
    """Return a sentence without markup, for its writer to recognise.

    Where its plain text, which models read, leaves out a reference to a figure or a formula, this
    has an ellipsis: "in Section …"; for a citation that is part of the sentence it has "[…]".
    """
    block = manuscript.block_at(sentence.start)
    if block is None:
        return sentence.text
    start, end = sentence.start - block.start, sentence.end - block.start
    references = {
        (first - block.start, last - block.start) for first, last in manuscript.layout.references
    }
    omissions = tuple(
        (first - start, last - start, "…" if (first, last) in references else sign)
        for first, last, sign in block.omissions
        if start <= first and last <= end
    )
    expansions = tuple(
        (first - start, last - start, text)
        for first, last, text in block.expansions
        if start <= first and last <= end
    )
    raw = manuscript.text[sentence.start : sentence.end]
    return shown_text(raw, block.markup, omissions, expansions) or sentence.text
