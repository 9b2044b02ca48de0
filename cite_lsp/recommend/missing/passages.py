"""The passages of a draft for the worthiness model, and the citation worthiness of sentences."""

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
    """Return the sentences of a file of a draft with their surroundings, in order."""
    counts = _counts.get(document)
    if counts is None:
        counts = _counts.keep(document, _by_section(document))
    total, cited = counts
    everything, citing = sum(total.values()), sum(cited.values())
    number = document.number_of(manuscript) or 0
    sentences = manuscript.sentences
    # Names and addresses stand before the first heading, unless the text has no headings.
    headless = UNTITLED if len(manuscript.sections) == 1 else ""
    passages = []
    for place, sentence in enumerate(sentences):
        before = sentences[place - 1] if place else None
        after = sentences[place + 1] if place + 1 < len(sentences) else None
        own = section_name(number, manuscript.group_at(sentence.start))
        passages.append(
            Passage(
                sentence.text,
                before.text if before and before.section == sentence.section else "",
                after.text if after and after.section == sentence.section else "",
                manuscript.sections[sentence.section].title or headless,
                share_elsewhere(citing - cited[own], everything - total[own]),
            )
        )
    return passages


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
