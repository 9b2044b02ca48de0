"""A draft as the worthiness model reads it, and how likely each sentence needs a citation."""

from __future__ import annotations

from collections import Counter

from cite_lsp.manuscript import Document, Manuscript
from cite_lsp.manuscript.draft.document import section_name
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.missing.worthiness import (
    UNTITLED,
    Passage,
    share_elsewhere,
    worthiness_model,
)
from cite_lsp.storage.caches import ByObject

_counts: ByObject[Document, tuple[Counter[str], Counter[str]]] = ByObject()


def passages_of(manuscript: Manuscript, document: Document) -> list[Passage]:
    """Return the sentences of a file of a draft with what surrounds them, in their order."""
    counts = _counts.get(document)
    if counts is None:
        counts = _counts.keep(document, _by_section(document))
    total, cited = counts
    everything, citing = sum(total.values()), sum(cited.values())
    number = document.number_of(manuscript) or 0
    sentences = manuscript.sentences
    # Before a first heading stand names and addresses; a text that has none is a text all the same.
    headless = UNTITLED if len(manuscript.sections) == 1 else ""
    found = []
    for place, sentence in enumerate(sentences):
        before = sentences[place - 1] if place else None
        after = sentences[place + 1] if place + 1 < len(sentences) else None
        own = section_name(number, manuscript.group_at(sentence.start))
        found.append(
            Passage(
                sentence.text,
                before.text if before and before.section == sentence.section else "",
                after.text if after and after.section == sentence.section else "",
                manuscript.sections[sentence.section].title or headless,
                share_elsewhere(citing - cited[own], everything - total[own]),
            )
        )
    return found


def worthiness_of(manuscript: Manuscript, document: Document) -> Column:
    """Return how likely each sentence of a file needs a citation, shape (n,), 0 to 1."""
    return worthiness_model().probabilities(passages_of(manuscript, document))


def _by_section(document: Document) -> tuple[Counter[str], Counter[str]]:
    """Count the sentences of each section of a draft, and those that cite."""
    total: Counter[str] = Counter()
    cited: Counter[str] = Counter()
    for number, file in enumerate(document):
        for sentence in file.sentences:
            name = section_name(number, file.group_at(sentence.start))
            total[name] += 1
            cited[name] += any(marker.keys for marker in sentence.markers)
    return total, cited
