"""Gaps: the sentences of a draft that lack a citation, and the papers that they should cite.

Papers are ranked for a sentence that may need a citation (`worthiness.py`), and the sentence is
reported if it is likely enough that it should cite the first of them (`confidence.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from attrs import evolve, field, frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.library import EntryMatcher
from cite_lsp.manuscript import Context, Manuscript
from cite_lsp.manuscript.draft.context import context_at, context_of
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.lint.exempt import is_exempt, stands_exempt
from cite_lsp.manuscript.lint.suppress import Suppressions, suppressions_of
from cite_lsp.manuscript.model import Marker, Sentence
from cite_lsp.manuscript.placeholders.placeholders import work_named_by
from cite_lsp.project.citations import cites, stand_in_of, waiting_in
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.missing.confidence import Signs, Sureness, shipped_confidence, signs_of
from cite_lsp.recommend.missing.dismissed import Dismissals
from cite_lsp.recommend.missing.works_in_words import (
    cited_in_words,
    entries_of,
    keys_cited_in_words,
)
from cite_lsp.recommend.missing.worthiness import worthiness_of
from cite_lsp.recommend.query.author_year_mentions import AuthorYear, author_year_mentions
from cite_lsp.search.words.function_words import without_function_words
from cite_lsp.search.words.tokens import tokenise

if TYPE_CHECKING:
    from cite_lsp.project.draft import Draft
    from cite_lsp.recommend.engine import DraftRecommender


@frozen
class Level:
    """How readily gaps are reported.

    `threshold` is the worthiness of a sentence from which on papers are ranked for it, `confidence`
    that of the first paper from which on the gap is reported.
    """

    threshold: float
    confidence: float


RULE: Final = "missing-citation"
"""The name of the rule in comments that suppress it, and in diagnostics."""
LEVELS: Final = {
    "careful": Level(threshold=0.1, confidence=0.4),
    "balanced": Level(threshold=0.1, confidence=0.22),
    "eager": Level(threshold=0.06, confidence=0.14),
}
"""From few gaps, every other one right, to many: chosen on the drafts that the weights were fitted
to, see the card of `missing-citations`; docs/research/evaluation.md has what each finds in
others."""
DEFAULT_LEVEL = "careful"
CERTAIN = 0.7
"""Confidence from which on a gap is filled together with all others of a draft.

Of the offers from there on, in drafts that the weights were not fitted to, three of four are right.
"""
COCITATION_SCORE = 0.5
"""Score, given the papers chosen before, from which on a further paper is cited with them."""
LARGEST_SET = 3

Progress = Callable[[int, int], None]
"""Called with the number of sentences that are done, and of all."""


@frozen
class Gap:
    """A sentence that lacks a citation, and the papers for it, best first.

    `worthiness` is how likely it needs a citation, `confidence` how likely it should cite the first
    paper, `signs` are the features of each paper. `marker` is a marker without a key that already
    stands there. `together` are the papers that are better cited as a set than the first one alone;
    empty if that is better alone. With `in_words` the chosen papers are those that the sentence
    cites in words.
    """

    sentence: Sentence
    worthiness: float
    confidence: float
    recommendations: tuple[Recommendation, ...]
    marker: Marker | None = None
    together: tuple[Recommendation, ...] = ()
    signs: tuple[Signs, ...] = field(default=(), repr=False)
    in_words: bool = False

    @property
    def chosen(self) -> tuple[Recommendation, ...]:
        """The papers to cite by default: the set, or else the first."""
        return self.together or self.recommendations[:1]


@frozen
class GapOptions:
    """Which gaps are reported, and with how many papers.

    sureness: computes the confidence of a paper, by default with the weights that ship. dismissed:
    papers that the writer does not want for a sentence. limit: the most papers of a gap.
    """

    level: Level = LEVELS[DEFAULT_LEVEL]
    sureness: Sureness | None = None
    dismissed: Dismissals | None = None
    limit: int = 5


DEFAULT_OPTIONS = GapOptions()


def find_gaps(
    recommender: DraftRecommender,
    draft: Draft,
    sentences: Sequence[Sentence] | None = None,
    options: GapOptions = DEFAULT_OPTIONS,
    *,
    cancelled: Cancel | None = None,
    progress: Progress | None = None,
) -> Iterator[Gap]:
    """Yield the gaps of a draft, or of some of its sentences, in order.

    Sentences in captions, abstracts and the like, suppressed ones, papers that were dismissed for
    their sentence, and retracted papers are left out, and so are sentences that name a paper by
    author and year if the first recommendation is another one. One of the library that is named so
    is certain, whatever the language. A sentence that cites something is yielded for the works of
    the library that it cites in words only.

    Raises:
        Cancelled: `cancelled` returned true.
        RankerError: a model that ships cannot be read.
    """
    level, dismissed, limit = options.level, options.dismissed, options.limit
    sureness = options.sureness or shipped_confidence()
    matcher = recommender.matcher(draft.library)
    candidates = list(_candidate_sentences(draft, sentences, level.threshold, matcher, cancelled))
    count = _count_in(draft)
    start, already_cited = -1, frozenset[str]()  # what a sentence cites, or was given
    for number, candidate in enumerate(candidates):
        stop_if(cancelled)
        if progress:
            progress(number, len(candidates))
        context = context_for(draft, candidate.sentence, candidate.marker)
        if candidate.sentence.start != start:
            start, already_cited = candidate.sentence.start, candidate.sentence.cited
        mentions = () if candidate.marker else author_year_mentions(candidate.sentence.text)
        excluded = already_cited
        if dismissed:
            excluded |= dismissed.keys(candidate.sentence.text)
        recommendations = recommender.recommend_for(
            draft,
            context,
            limit=limit + len(excluded) + len(candidate.in_words),
            adapted=candidate.marker is not None,
            named=work_named_by(draft.manuscript.text, candidate.marker)
            if candidate.marker
            else "",
            cancelled=cancelled,
        )
        proposed = [
            recommendation
            for recommendation in recommendations
            if recommendation.key not in excluded
            and not recommendation.paper.retracted
            and (not candidate.cites or recommendation.key in candidate.in_words)
        ][: max(limit, len(candidate.in_words))]
        if not proposed:
            continue
        signs = _signs(recommender, draft, context, candidate.worthiness, proposed, count)
        gap = _gap(draft, candidate, proposed, signs, sureness, mentions, level.confidence)
        first = gap.recommendations[0].paper
        if mentions and not any(mention.matches(first) for mention in mentions):
            continue
        if gap.confidence >= level.confidence:
            if not gap.in_words:
                together = co_cited(recommender, draft, context, gap.recommendations, cancelled)
                gap = evolve(gap, together=together)
            already_cited |= {recommendation.key for recommendation in gap.chosen}
            yield gap
    if progress:
        progress(len(candidates), len(candidates))


@frozen
class _CandidateSentence:
    """A sentence that may lack a citation, and its marker without a key, if any.

    `in_words` are the keys of works that it cites in words only; where it `cites` others by markers
    it lacks nothing else.
    """

    sentence: Sentence
    worthiness: float
    marker: Marker | None = None
    in_words: frozenset[str] = frozenset()
    cites: bool = False


def _candidate_sentences(
    draft: Draft,
    sentences: Sequence[Sentence] | None,
    threshold: float,
    matcher: EntryMatcher,
    cancelled: Cancel | None,
) -> Iterator[_CandidateSentence]:
    """Yield the sentences that papers are ranked for, among the given ones or all.

    A sentence is yielded once for each of its markers without a key. An entry of the library that
    it names by author and year outweighs how it is worded.
    """
    manuscript = draft.manuscript
    probabilities = worthiness_of(manuscript, draft.document, sentences, cancelled)
    worthiness = {
        sentence.start: float(probability)
        for sentence, probability in zip(manuscript.sentences, probabilities, strict=True)
    }
    lines = LineIndex(manuscript.text)
    suppressions = suppressions_of(lines)
    for sentence in manuscript.sentences if sentences is None else sentences:
        waiting = waiting_in(draft, sentence)
        if waiting:
            if _is_checked(manuscript, sentence, suppressions, lines):
                yield from (_CandidateSentence(sentence, 1.0, marker) for marker in waiting)
            continue
        needy, citing = worthiness[sentence.start] >= threshold, cites(draft, sentence)
        # A threshold that no sentence reaches turns it off.
        mentions = author_year_mentions(sentence.text) if threshold < 1.0 else ()
        in_words = keys_cited_in_words(draft, sentence, mentions, matcher)
        wanted = in_words or (not citing and (needy or _names_a_work(draft, mentions, matcher)))
        exempts = stands_exempt if in_words else is_exempt
        if wanted and _is_checked(manuscript, sentence, suppressions, lines, exempts):
            yield _CandidateSentence(
                sentence, worthiness[sentence.start], in_words=in_words, cites=citing
            )


def _names_a_work(draft: Draft, mentions: Sequence[AuthorYear], matcher: EntryMatcher) -> bool:
    """Whether one of the works that a sentence names by author and year is in the library."""
    return any(any(entries_of(mention, draft, matcher)) for mention in mentions)


def _gap(
    draft: Draft,
    candidate: _CandidateSentence,
    recommendations: Sequence[Recommendation],
    signs: Sequence[Signs],
    sureness: Sureness,
    mentions: Sequence[AuthorYear],
    least: float,
) -> Gap:
    """Return the gap of a sentence, from its recommendations and the features of each.

    Of the works that it mentions the only one by its author of its year is certain. Those that it
    cites in words come first, as far as their confidence is the `least` that is wanted.
    """
    confidences = [sureness(features) for features in signs]
    for mention in mentions:
        named = [
            place
            for place, recommendation in enumerate(recommendations)
            if mention.is_of(recommendation.paper)
        ]
        raised = CERTAIN if len(named) == 1 else LEVELS[DEFAULT_LEVEL].confidence
        for place in named:
            confidences[place] = max(confidences[place], raised)
    order = sorted(range(len(recommendations)), key=lambda place: -confidences[place])
    sure = [
        recommendations[place]
        for place in order
        if recommendations[place].key in candidate.in_words and confidences[place] >= least
    ]
    in_words = cited_in_words(draft, candidate.sentence, sure) if sure else ()
    if in_words:
        order.sort(key=lambda place: recommendations[place] not in in_words)
    best = recommendations[order[0]]
    return Gap(
        candidate.sentence,
        candidate.worthiness,
        # With a marker the question is only whether the paper is the right one.
        min(best.score, 1.0) if candidate.marker else confidences[order[0]],
        tuple(recommendations[place] for place in order),
        candidate.marker,
        together=in_words if len(in_words) > 1 else (),
        signs=tuple(signs[place] for place in order),
        in_words=bool(in_words),
    )


def co_cited(
    recommender: DraftRecommender,
    draft: Draft,
    context: Context,
    recommendations: Sequence[Recommendation],
    cancelled: Cancel | None = None,
) -> tuple[Recommendation, ...]:
    """Return the papers to cite as a set at a place, () if the first one is better alone.

    The first paper is put into the marker and papers are ranked again: the best one joins the set
    if its score is high enough, if it is among the recommendations, and if the draft cites it in
    one marker with the first. This is repeated up to `LARGEST_SET` papers.
    """
    papers = list(recommendations[:1])
    while papers and len(papers) < LARGEST_SET:
        keys = (*context.marker_cited, *(recommendation.key for recommendation in papers))
        partners = {
            key
            for mention in context.mentions
            if papers[0].key in mention.keys
            for key in mention.keys
        }
        candidates = [
            recommendation
            for recommendation in recommendations
            if recommendation.key in partners and recommendation.key not in keys
        ]
        if not candidates:
            break
        next_papers = recommender.recommend_for(
            draft, evolve(context, marker_cited=keys), limit=1, adapted=False, cancelled=cancelled
        )
        best = next(
            (paper for paper in candidates if next_papers and paper.key == next_papers[0].key),
            None,
        )
        if best is None or next_papers[0].score < COCITATION_SCORE:
            break
        papers.append(best)
    return tuple(papers) if len(papers) > 1 else ()


def surest_first(
    recommender: DraftRecommender,
    draft: Draft,
    context: Context,
    recommendations: Sequence[Recommendation],
) -> tuple[Recommendation, ...]:
    """Return the recommendations for a sentence in the order of a gap there."""
    sureness = shipped_confidence()
    # The worthiness is the same for all of them: any value will do.
    signs = _signs(recommender, draft, context, 0.5, recommendations, _count_in(draft))
    order = sorted(range(len(recommendations)), key=lambda place: -sureness(signs[place]))
    return tuple(recommendations[place] for place in order)


def _signs(
    recommender: DraftRecommender,
    draft: Draft,
    context: Context,
    worth: float,
    recommendations: Sequence[Recommendation],
    count: Callable[[str], int],
) -> list[Signs]:
    pool = recommender.pool(draft.library)
    words = without_function_words(context.sentence, tokenise(context.sentence))
    scores = pool.title_words.scores(words)
    title_match = {
        recommendation.key: float(scores[row])
        for recommendation in recommendations
        if (row := pool.row_of.get(recommendation.key)) is not None
    }
    return signs_of(context, worth, recommendations, title_match, count)


def _count_in(draft: Draft) -> Callable[[str], int]:
    """Return a cached function that counts a word in all files of a draft."""
    return cache(lambda word: sum(file.text.count(word) for file in draft.document.files))


def context_for(draft: Draft, sentence: Sentence, marker: Marker | None = None) -> Context:
    """Return the context of a sentence's missing citation, at its marker without a key if any."""
    if marker is None:
        marker = next(iter(waiting_in(draft, sentence)), None)
    if marker is None:
        return context_at(draft.manuscript, sentence.start, draft.document)
    context = context_of(draft.manuscript, marker, draft.document)
    stand_in = stand_in_of(draft, marker)
    cited = (key for key in context.marker_cited if stand_in is None or key != stand_in.text)
    return evolve(context, marker_cited=tuple(cited))


def _is_checked(
    manuscript: Manuscript,
    sentence: Sentence,
    suppressions: Suppressions,
    lines: LineIndex,
    exempts: Callable[[Manuscript, Sentence], bool] = is_exempt,
) -> bool:
    return not (
        exempts(manuscript, sentence) or suppressions.covers(RULE, lines.line_of(sentence.start))
    )
