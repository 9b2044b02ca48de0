"""Which sentences of a draft lean on work they do not name, and which papers they should cite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from cite_lsp.encode.model import stop_if
from cite_lsp.manuscript.context import context_at, context_of
from cite_lsp.manuscript.model import Marker, Sentence
from cite_lsp.recommend.dismissed import Dismissals
from cite_lsp.recommend.model import Recommendation

if TYPE_CHECKING:
    from cite_lsp.recommend.draft import Draft, DraftRecommender

Progress = Callable[[int, int], None]
"""Told how many sentences have been looked at, of how many."""


@frozen
class Gap:
    """A sentence that lacks a citation: how likely, and the papers for it, best first.

    `marker` is one without keys that already stands there, waiting for them.
    """

    sentence: Sentence
    confidence: float
    recommendations: tuple[Recommendation, ...]
    marker: Marker | None = None


def find_gaps(
    recommender: DraftRecommender,
    draft: Draft,
    sentences: Sequence[Sentence],
    *,
    enough: float,
    dismissed: Dismissals | None = None,
    limit: int = 5,
    cancelled: Callable[[], bool] | None = None,
    progress: Progress | None = None,
) -> Iterator[Gap]:
    """Yield the gaps among some sentences of a draft, in order: those of a confidence `enough`.

    Raises:
        Cancelled: `cancelled` said so.
    """
    for number, sentence in enumerate(sentences):
        stop_if(cancelled)
        if progress:
            progress(number, len(sentences))
        if not open_to_citation(sentence):
            continue
        marker = next(iter(sentence.markers), None)
        if marker is not None:
            context = context_of(draft.manuscript, marker, draft.document)
        else:
            context = context_at(draft.manuscript, sentence.start, draft.document)
        unwanted = dismissed.keys(sentence.text) if dismissed else frozenset()
        found = recommender.recommend_for(
            draft, context, limit=limit + len(unwanted), cancelled=cancelled
        )
        kept = tuple(one for one in found if one.key not in unwanted)[:limit]
        if kept and kept[0].score >= enough:
            yield Gap(sentence, kept[0].score, kept, marker)


def open_to_citation(sentence: Sentence) -> bool:
    """Whether a sentence cites nothing yet; a marker that still has no key counts as nothing."""
    return not any(marker.keys for marker in sentence.markers)
