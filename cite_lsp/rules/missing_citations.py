"""Hints at sentences that may lack a citation: their papers, and their places by now.

Hints are found by ranking papers for many sentences, which takes long. They are stored by the
words of the sentence: a hint stays with its sentence, and ends when that cites.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.manuscript.draft.readable_sentence import readable_sentence
from cite_lsp.manuscript.model import Sentence
from cite_lsp.project.citations import empty_keys_of, open_to_citation, waiting_in
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.rules.findings import Finding, Hint, ProposedPaper, Stretch

if TYPE_CHECKING:
    from cite_lsp.recommend.missing.gaps import Gap


def hints_of(draft: Draft, gaps: Iterable[Gap]) -> dict[str, Hint]:
    """Return the hints at gaps of a draft by the plain text of their sentences."""
    hints: dict[str, Hint] = {}
    for gap in gaps:
        hints.setdefault(gap.sentence.text, _hint(draft, gap))
    return hints


def _hint(draft: Draft, gap: Gap) -> Hint:
    names = ", ".join(short_name(proposal.paper) for proposal in gap.chosen)
    papers = tuple(ProposedPaper(proposal.key, proposal.paper.title) for proposal in gap.chosen)
    waiting = waiting_in(draft, gap.sentence)
    marker = None if gap.marker is None else waiting.index(gap.marker)
    return Hint(names, papers, marker, gap.in_words)


def hint_findings(
    draft: Draft,
    hints: Mapping[str, Hint],
    cancelled: Cancel | None = None,
    *,
    once_in: Stretch,
) -> Iterator[Finding]:
    """Yield the findings for the sentences that have hints, as the draft stands now.

    Those at a marker that waits for a key, and is printed, are of the rule `empty-citation`. A
    paper that its paragraph has cited before, or that a hint has named there, is not named again;
    nor is one, away from such markers, that a hint has named in the stretch `once_in`. What a
    sentence cites in words is named wherever it does.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    if not hints:
        return
    named: dict[int, set[str]] = {}
    named_in_section: dict[int, set[str]] = {}
    for sentence in draft.manuscript.sentences:
        stop_if(cancelled)
        hint = hints.get(sentence.text)
        if hint is None or not (hint.in_words or open_to_citation(draft, sentence)):
            continue
        keys = {paper.key for paper in hint.papers}
        paragraph = paragraph_of(draft, sentence)
        before = cited_until(draft, sentence) | named.setdefault(paragraph, set())
        in_section = named_in_section.setdefault(draft.manuscript.group_at(sentence.start), set())
        if once_in == "section" and hint.marker is None:
            before |= in_section
        if hint.in_words or before.isdisjoint(keys):
            named[paragraph] |= keys
            in_section |= keys
            yield _finding(draft, sentence, hint)


def _finding(draft: Draft, sentence: Sentence, hint: Hint) -> Finding:
    waiting = waiting_in(draft, sentence)
    waiting = waiting[hint.marker or 0 :] or waiting[-1:]
    place = waiting[0] if waiting else sentence
    empty = bool(waiting) and any(empty_keys_of(draft, waiting[0]))
    missing = "empty citation" if empty else "a citation may be missing here"
    return Finding(
        "empty-citation" if empty else "missing-citation",
        draft.path,
        place.start,
        place.end,
        f"{missing}: {hint.names}?",
        "warning" if empty else "hint",
        papers=hint.papers,
        sentence_text=readable_sentence(draft.manuscript, sentence),
        sentence_range=(sentence.start, sentence.end),
    )


def paragraph_of(draft: Draft, sentence: Sentence) -> int:
    """Return where the paragraph, or footnote, of a sentence of the opened file begins."""
    block = draft.manuscript.block_at(sentence.start)
    return block.start if block else sentence.start


def cited_until(draft: Draft, sentence: Sentence) -> set[str]:
    """Return the keys that the paragraph of a sentence of the opened file cites up to its end."""
    paragraph = paragraph_of(draft, sentence)
    return {
        key
        for other in draft.manuscript.sentences
        if paragraph <= other.start <= sentence.start and paragraph_of(draft, other) == paragraph
        for key in other.cited
    }
