"""Passages: the sentences of a draft, each with what stands around it."""

from __future__ import annotations

from collections import Counter

from attrs import frozen

from cite_lsp.manuscript import Document, Manuscript
from cite_lsp.manuscript.draft.document import section_name
from cite_lsp.storage.caches import ByObject

UNTITLED = "-"
"""The title of a section without a known title; an empty title means front matter."""
_FEWEST_ELSEWHERE = 20
"""Sentences in the other sections from which on their share of citing sentences counts."""

_counts: ByObject[Document, tuple[Counter[str], Counter[str]]] = ByObject()


@frozen
class Passage:
    """A sentence in plain text without its citations, and what surrounds it.

    `cited_share` is the share of citing sentences in the other sections of the draft; None if they
    cite nothing yet, or are too few.
    """

    sentence: str
    previous: str = ""
    next: str = ""
    section_title: str = ""
    cited_share: float | None = None


def share_elsewhere(cited: int, total: int) -> float | None:
    """Return the `cited_share` of a passage: of `total` sentences elsewhere, `cited` ones cite."""
    return cited / total if cited and total >= _FEWEST_ELSEWHERE else None


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
        section = section_name(number, manuscript.group_at(sentence.start))
        passages.append(
            Passage(
                sentence.text,
                before.text if before and before.section == sentence.section else "",
                after.text if after and after.section == sentence.section else "",
                manuscript.sections[sentence.section].title or headless,
                share_elsewhere(citing - cited[section], everything - total[section]),
            )
        )
    return passages


def _by_section(document: Document) -> tuple[Counter[str], Counter[str]]:
    """Count the sentences of each section of a draft, and those that cite."""
    total: Counter[str] = Counter()
    cited: Counter[str] = Counter()
    for number, file in enumerate(document.files):
        for sentence in file.sentences:
            name = section_name(number, file.group_at(sentence.start))
            total[name] += 1
            cited[name] += any(marker.keys for marker in sentence.citing)
    return total, cited
