"""Which sentences of a draft lean on work they do not name, and which papers they should cite.

A sentence is offered when it probably needs a citation (`worthiness.py`) and the Recommender is
probably right about the paper: the confidence is the product of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from attrs import evolve, frozen

from cite_lsp.encode.model import stop_if
from cite_lsp.manuscript import Context, Manuscript
from cite_lsp.manuscript.context import context_at, context_of
from cite_lsp.manuscript.exempt import is_exempt
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.model import Marker, Sentence
from cite_lsp.manuscript.silence import Silence, silence_of
from cite_lsp.recommend.dismissed import Dismissals
from cite_lsp.recommend.model import Recommendation
from cite_lsp.recommend.passages import worthiness_of
from cite_lsp.recommend.worthiness import THRESHOLD

if TYPE_CHECKING:
    from cite_lsp.recommend.draft import Draft, DraftRecommender

RULE: Final = "missing-citation"
"""What silencing comments and diagnostics call it."""
CONFIDENCE = 0.15
"""Confidence from which on a gap is worth showing."""
CERTAIN = 0.3
"""Confidence from which on a gap is proposed to be filled with all others of a draft."""
TOGETHER = 0.5
"""Score, given the papers chosen before, from which on one more is cited with them."""
LARGEST_SET = 3

Progress = Callable[[int, int], None]
"""Told how many sentences have been looked at, of how many."""
Cancel = Callable[[], bool]


@frozen
class Gap:
    """A sentence that lacks a citation: how likely, and the papers for it, best first.

    `worthiness` is how likely it needs one, `confidence` how likely the first paper is right, too.
    `marker` is one without keys that already stands there, waiting for them. `together` are the
    papers that are better cited as a set than the first one alone; empty where it is better alone.
    """

    sentence: Sentence
    worthiness: float
    confidence: float
    recommendations: tuple[Recommendation, ...]
    marker: Marker | None = None
    together: tuple[Recommendation, ...] = ()

    @property
    def chosen(self) -> tuple[Recommendation, ...]:
        """The papers to cite where nobody chooses: the set, or else the first."""
        return self.together or self.recommendations[:1]


def find_gaps(
    recommender: DraftRecommender,
    draft: Draft,
    sentences: Sequence[Sentence] | None = None,
    *,
    threshold: float = THRESHOLD,
    confidence: float = CONFIDENCE,
    dismissed: Dismissals | None = None,
    limit: int = 5,
    cancelled: Cancel | None = None,
    progress: Progress | None = None,
) -> Iterator[Gap]:
    """Yield the gaps of a draft, or of some of its sentences, in order.

    A sentence must be worth a citation from `threshold` on, and the confidence be `confidence`.
    Sentences in captions, abstracts and the like, silenced ones, and papers that were dismissed
    for their sentence are left out.

    Raises:
        Cancelled: `cancelled` said so.
        WorthinessError, RankerError: a model that ships cannot be read.
    """
    manuscript = draft.manuscript
    places = {id(sentence): place for place, sentence in enumerate(manuscript.sentences)}
    likely = worthiness_of(manuscript, draft.document)
    chosen = manuscript.sentences if sentences is None else sentences
    lines = LineIndex(manuscript.text)
    silence = silence_of(lines)
    asked = []
    for sentence in chosen:
        waiting = _waiting(sentence)
        worth = 1.0 if waiting else float(likely[places[id(sentence)]])
        if worth >= threshold and _looked_at(manuscript, sentence, silence, lines):
            asked.append((sentence, waiting, worth))
    for number, (sentence, waiting, worth) in enumerate(asked):
        stop_if(cancelled)
        if progress:
            progress(number, len(asked))
        context = context_for(draft, sentence)
        unwanted = dismissed.keys(sentence.text) if dismissed else frozenset()
        found = recommender.recommend_for(
            draft, context, limit=limit + len(unwanted), cancelled=cancelled
        )
        kept = tuple(one for one in found if one.key not in unwanted)[:limit]
        sure = min(worth * kept[0].score, 1.0) if kept else 0.0
        if kept and sure >= confidence:
            together = co_cited(recommender, draft, context, kept, cancelled)
            yield Gap(sentence, worth, sure, kept, waiting, together)


def co_cited(
    recommender: DraftRecommender,
    draft: Draft,
    context: Context,
    found: Sequence[Recommendation],
    cancelled: Cancel | None = None,
) -> tuple[Recommendation, ...]:
    """Return the papers to cite as a set at a place, () where the first of `found` is better alone.

    The first paper is put into the marker and the Recommender asked again: a paper that it is then
    sure of, that stood among the first before, and that the draft cites together with those of the
    set joins it.
    """
    chosen = list(found[:1])
    while chosen and len(chosen) < LARGEST_SET:
        keys = (*context.marker_cited, *(one.key for one in chosen))
        partners = {
            key
            for mention in context.mentions
            if chosen[0].key in mention.keys
            for key in mention.keys
        }
        candidates = [one for one in found if one.key in partners and one.key not in keys]
        if not candidates:
            break
        again = recommender.recommend_for(
            draft, evolve(context, marker_cited=keys), limit=1, cancelled=cancelled
        )
        best = next((one for one in candidates if again and one.key == again[0].key), None)
        if best is None or again[0].score < TOGETHER:
            break
        chosen.append(best)
    return tuple(chosen) if len(chosen) > 1 else ()


def context_for(draft: Draft, sentence: Sentence) -> Context:
    """Return the context of the citation that a sentence lacks."""
    waiting = _waiting(sentence)
    if waiting is not None:
        return context_of(draft.manuscript, waiting, draft.document)
    return context_at(draft.manuscript, sentence.start, draft.document)


def open_to_citation(sentence: Sentence) -> bool:
    """Whether a sentence cites nothing yet; a marker that still has no key counts as nothing."""
    return not any(marker.keys for marker in sentence.markers)


def _waiting(sentence: Sentence) -> Marker | None:
    return next((marker for marker in sentence.markers if not marker.keys), None)


def _looked_at(
    manuscript: Manuscript, sentence: Sentence, silence: Silence, lines: LineIndex
) -> bool:
    return (
        open_to_citation(sentence)
        and not is_exempt(manuscript, sentence)
        and not silence.covers(RULE, lines.line_of(sentence.start))
    )
