"""Which sentences of a draft lean on work they do not name, and which papers they should cite.

A sentence is looked at closely when it may need a citation (`worthiness.py`), and offered when it
is likely enough that it should cite the first paper that the Recommender finds (`confidence.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from attrs import evolve, field, frozen

from cite_lsp.encode.model import Cancel, stop_if
from cite_lsp.manuscript import Context, Manuscript
from cite_lsp.manuscript.draft.context import context_at, context_of
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.lint.exempt import is_exempt
from cite_lsp.manuscript.lint.suppress import Suppressions, suppressions_of
from cite_lsp.manuscript.model import Marker, Sentence
from cite_lsp.manuscript.placeholders.placeholders import work_named_by
from cite_lsp.project.draft import cites, stand_in_of, waiting_in
from cite_lsp.recommend.base.model import Recommendation
from cite_lsp.recommend.missing.confidence import Signs, Sureness, shipped_confidence, signs_of
from cite_lsp.recommend.missing.dismissed import Dismissals
from cite_lsp.recommend.missing.passages import worthiness_of
from cite_lsp.recommend.query.cited_in_words import author_year_mentions
from cite_lsp.search.words.function_words import without_function_words
from cite_lsp.search.words.tokens import tokenise

if TYPE_CHECKING:
    from cite_lsp.project.draft import Draft
    from cite_lsp.recommend.engine import DraftRecommender


@frozen
class Level:
    """How readily something is offered.

    `threshold` is the likelihood that a sentence needs a citation from which on papers are looked
    for, `confidence` that of the first one belonging there from which on it is told.
    """

    threshold: float
    confidence: float


RULE: Final = "missing-citation"
"""What silencing comments and diagnostics call it."""
LEVELS: Final = {
    "careful": Level(threshold=0.1, confidence=0.3),
    "balanced": Level(threshold=0.1, confidence=0.2),
    "eager": Level(threshold=0.06, confidence=0.1),
}
"""From few, one of two right, to many: chosen on the drafts that the weights were fitted to, see
the card of `missing-citations`; docs/research/evaluation.md has what each finds in others."""
DEFAULT_LEVEL = "careful"
CERTAIN = 0.5
"""Confidence from which on a gap is proposed to be filled with all others of a draft."""
TOGETHER = 0.5
"""Score, given the papers chosen before, from which on one more is cited with them."""
LARGEST_SET = 3

Progress = Callable[[int, int], None]
"""Told how many sentences have been looked at, of how many."""


@frozen
class Gap:
    """A sentence that lacks a citation: how likely, and the papers for it, best first.

    `worthiness` is how likely it needs one, `confidence` how likely it should cite the first paper,
    `signs` are what was known of each.
    `marker` is one that already stands there and waits for a key. `together` are the
    papers that are better cited as a set than the first one alone; empty where it is better alone.
    """

    sentence: Sentence
    worthiness: float
    confidence: float
    recommendations: tuple[Recommendation, ...]
    marker: Marker | None = None
    together: tuple[Recommendation, ...] = ()
    signs: tuple[Signs, ...] = field(default=(), repr=False)

    @property
    def chosen(self) -> tuple[Recommendation, ...]:
        """The papers to cite where nobody chooses: the set, or else the first."""
        return self.together or self.recommendations[:1]


def find_gaps(
    recommender: DraftRecommender,
    draft: Draft,
    sentences: Sequence[Sentence] | None = None,
    *,
    level: Level = LEVELS[DEFAULT_LEVEL],
    sureness: Sureness | None = None,
    dismissed: Dismissals | None = None,
    limit: int = 5,
    cancelled: Cancel | None = None,
    progress: Progress | None = None,
) -> Iterator[Gap]:
    """Yield the gaps of a draft, or of some of its sentences, in order.

    `sureness` weighs what speaks for the first paper, the weights that ship by default. Sentences
    in captions, abstracts and the like, silenced ones, papers that were dismissed for their
    sentence, and retracted ones are left out, and so are sentences that name a work by author and
    year where the first paper is another one.

    Raises:
        Cancelled: `cancelled` said so.
        WorthinessError, RankerError: a model that ships cannot be read.
    """
    sureness = sureness or shipped_confidence()
    asked = list(_asked(draft, sentences, level.threshold))
    count = _count_in(draft)
    start, there = -1, frozenset[str]()  # what a sentence cites, and was found for it
    for number, one in enumerate(asked):
        stop_if(cancelled)
        if progress:
            progress(number, len(asked))
        context = context_for(draft, one.sentence, one.marker)
        if one.sentence.start != start:
            start, there = one.sentence.start, one.sentence.cited
        named = () if one.marker else author_year_mentions(one.sentence.text)
        unwanted = there | (dismissed.keys(one.sentence.text) if dismissed else frozenset())
        found = recommender.recommend_for(
            draft,
            context,
            limit=limit + len(unwanted),
            adapted=one.marker is not None,
            named=work_named_by(draft.manuscript.text, one.marker) if one.marker else "",
            cancelled=cancelled,
        )
        kept = [one for one in found if one.key not in unwanted and not one.paper.retracted]
        kept = kept[:limit]
        if not kept:
            continue
        signs = _signs(recommender, draft, context, one.worthiness, kept, count)
        gap = _gap(one, kept, signs, sureness)
        first = gap.recommendations[0].paper
        if named and not any(work.matches(first) for work in named):
            continue
        if gap.confidence >= level.confidence:
            together = co_cited(recommender, draft, context, gap.recommendations, cancelled)
            gap = evolve(gap, together=together)
            there |= {paper.key for paper in gap.chosen}
            yield gap
    if progress:
        progress(len(asked), len(asked))


@frozen
class _Asked:
    """A sentence that may lack a citation, and the marker that waits in it, if any."""

    sentence: Sentence
    worthiness: float
    marker: Marker | None


def _asked(
    draft: Draft, sentences: Sequence[Sentence] | None, threshold: float
) -> Iterator[_Asked]:
    """Yield the sentences, of some or of all, that papers are looked for.

    One comes with each of the markers in it that wait.
    """
    manuscript = draft.manuscript
    likely = worthiness_of(manuscript, draft.document)
    worth = {
        sentence.start: float(it) for sentence, it in zip(manuscript.sentences, likely, strict=True)
    }
    lines = LineIndex(manuscript.text)
    silence = suppressions_of(lines)
    for sentence in manuscript.sentences if sentences is None else sentences:
        waiting = waiting_in(draft, sentence)
        if not waiting and (cites(draft, sentence) or worth[sentence.start] < threshold):
            continue
        if _looked_at(manuscript, sentence, silence, lines):
            yield from (_Asked(sentence, 1.0, marker) for marker in waiting)
            if not waiting:
                yield _Asked(sentence, worth[sentence.start], None)


def _gap(
    asked: _Asked, found: Sequence[Recommendation], signs: Sequence[Signs], sureness: Sureness
) -> Gap:
    """Return what a sentence lacks, of the papers found for it and the signs of each."""
    sure = [sureness(sign) for sign in signs]
    order = sorted(range(len(found)), key=lambda place: -sure[place])
    best = found[order[0]]
    return Gap(
        asked.sentence,
        asked.worthiness,
        # Where a marker waits, nothing is left to ask but whether the paper is the right one.
        min(best.score, 1.0) if asked.marker else sure[order[0]],
        tuple(found[place] for place in order),
        asked.marker,
        signs=tuple(signs[place] for place in order),
    )


def co_cited(
    recommender: DraftRecommender,
    draft: Draft,
    context: Context,
    found: Sequence[Recommendation],
    cancelled: Cancel | None = None,
) -> tuple[Recommendation, ...]:
    """Return the papers to cite as a set at a place, () where the first of `found` is better alone.

    The first paper is put into the marker and the Recommender asked again: the paper that it then
    finds first joins the set if it is sure of it, if `found` has it, and if the draft cites it in
    one marker with the first. So it goes on, up to `LARGEST_SET`.
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
            draft, evolve(context, marker_cited=keys), limit=1, adapted=False, cancelled=cancelled
        )
        best = next(
            (candidate for candidate in candidates if again and candidate.key == again[0].key), None
        )
        if best is None or again[0].score < TOGETHER:
            break
        chosen.append(best)
    return tuple(chosen) if len(chosen) > 1 else ()


def surest_first(
    recommender: DraftRecommender,
    draft: Draft,
    context: Context,
    found: Sequence[Recommendation],
) -> tuple[Recommendation, ...]:
    """Return papers found for a sentence in the order in which a gap there would have them."""
    sureness = shipped_confidence()
    # How much the sentence needs a citation is the same for all of them: any likelihood will do.
    signs = _signs(recommender, draft, context, 0.5, found, _count_in(draft))
    order = sorted(range(len(found)), key=lambda place: -sureness(signs[place]))
    return tuple(found[place] for place in order)


def _signs(
    recommender: DraftRecommender,
    draft: Draft,
    context: Context,
    worth: float,
    found: Sequence[Recommendation],
    count: Callable[[str], int],
) -> list[Signs]:
    pool = recommender.pool(draft.library)
    said = without_function_words(context.sentence, tokenise(context.sentence))
    match = pool.title_words.scores(said)
    known = {
        one.key: float(match[row]) for one in found if (row := pool.row_of.get(one.key)) is not None
    }
    return signs_of(context, worth, found, known, count)


def _count_in(draft: Draft) -> Callable[[str], int]:
    """Return what tells how often a word stands in all files of a draft; it counts a word once."""
    return cache(lambda word: sum(file.text.count(word) for file in draft.document))


def context_for(draft: Draft, sentence: Sentence, marker: Marker | None = None) -> Context:
    """Return the context of the citation that a sentence lacks, in a marker that waits for it."""
    if marker is None:
        marker = next(iter(waiting_in(draft, sentence)), None)
    if marker is None:
        return context_at(draft.manuscript, sentence.start, draft.document)
    context = context_of(draft.manuscript, marker, draft.document)
    stand_in = stand_in_of(draft, marker)
    cited = (key for key in context.marker_cited if stand_in is None or key != stand_in.text)
    return evolve(context, marker_cited=tuple(cited))


def _looked_at(
    manuscript: Manuscript, sentence: Sentence, silence: Suppressions, lines: LineIndex
) -> bool:
    return not (
        is_exempt(manuscript, sentence) or silence.covers(RULE, lines.line_of(sentence.start))
    )
