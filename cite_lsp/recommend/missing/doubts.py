"""Doubts: citations of a work where another one of the library fits far better.

A key is soon wrong: the line below was chosen in a list, or a sentence was copied with what it
cites. So papers are ranked for a marker as if its key were not there, and what is cited is in doubt
where another work is likely and what is cited next to impossible.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.library import Library
from cite_lsp.library.entries import Entry
from cite_lsp.library.match.dedupe import is_same_work
from cite_lsp.manuscript.model import Marker
from cite_lsp.project.citations import Citation, context_without_keys, single_citations

if TYPE_CHECKING:
    from cite_lsp.project.draft import Draft
    from cite_lsp.recommend.engine import DraftRecommender
    from cite_lsp.recommend.missing.gaps import Progress

LIKELY = 0.5
"""Score of the best work at a place from which on it puts in doubt what is cited there."""
TIMES = 2000.0
"""How many times as likely it has to be. Both were chosen on drafts from which the ranker did not
learn: a lower one doubts more citations that are right than it finds wrong ones
(docs/research/experiments.md)."""


def find_doubts(
    recommender: DraftRecommender,
    draft: Draft,
    before: Mapping[Citation, Entry | None] | None = None,
    *,
    cancelled: Cancel | None = None,
    progress: Progress | None = None,
) -> dict[Citation, Entry | None]:
    """Return for each citation of the opened file the entry that fits far better, else None.

    A marker of several keys is left out: what fits there may be one of the others. What is known
    from `before` is taken from there. Where no encoder can be loaded there are no doubts.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    if not recommender.semantic:  # by words only, scores are no likelihoods
        return {}
    before = before or {}
    citations = {single.identity: single.marker for single in single_citations(draft)}
    doubts: dict[Citation, Entry | None] = {}
    for number, (citation, marker) in enumerate(citations.items()):
        stop_if(cancelled)
        if progress:
            progress(number, len(citations))
        is_cached = citation in before
        doubts[citation] = before[citation] if is_cached else _better(recommender, draft, marker)
    if progress:
        progress(len(citations), len(citations))
    return doubts


def _better(recommender: DraftRecommender, draft: Draft, marker: Marker) -> Entry | None:
    cited = draft.library.get(marker.keys[0].text)
    scores = place_scores(recommender, draft, marker)
    best = likely_entry(draft.library, scores)
    return best if best and cited and is_doubtful(scores, best, cited) else None


def place_scores(recommender: DraftRecommender, draft: Draft, marker: Marker) -> dict[str, float]:
    """Return how likely each key of the library is at a marker without its keys."""
    context = context_without_keys(draft, draft.manuscript, marker)
    return dict(recommender.compare(draft, context, ("default",))["default"])


def likely_entry(library: Library, scores: Mapping[str, float]) -> Entry | None:
    """Return the entry that is likely at a place, None where none is."""
    best = max(scores, key=scores.__getitem__, default=None)
    return None if best is None or scores[best] < LIKELY else library.get(best)


def is_doubtful(scores: Mapping[str, float], best: Entry, cited: Entry) -> bool:
    """Whether what is cited where another entry is likely is next to impossible beside that."""
    unlikely = TIMES * scores.get(cited.key, 0.0) < scores[best.key]
    return unlikely and not is_same_work(best, cited)
