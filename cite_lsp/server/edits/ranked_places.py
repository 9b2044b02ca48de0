"""The best papers for places of a draft: to choose from, and to insert without a choice.

A request may need them for a place several times; each place is ranked once.
"""

from __future__ import annotations

from collections.abc import Sequence

from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.server.edits.citation_places import CitationPlace
from cite_lsp.server.edits.gaps import dismissals
from cite_lsp.server.session.request import Request

MOST_PROPOSED = 5

_Name = tuple[int, bool]
"""What identifies a place of a draft: its offset, and whether it is a sentence."""


class PapersAt:
    """The papers for places of the draft of one request."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._best: dict[_Name, tuple[Recommendation, ...]] = {}
        self._together: dict[tuple[_Name, tuple[str, ...]], tuple[Recommendation, ...]] = {}

    def best(self, place: CitationPlace) -> tuple[Recommendation, ...]:
        """Return the best papers, those the place cites and those dismissed for it left out.

        For a sentence they are in the order in which a hint there would name them.
        """
        name = _name_of(place)
        if name not in self._best:
            self._best[name] = _ranked(self._request, place)
        return self._best[name]

    def together(
        self, place: CitationPlace, papers: Sequence[Recommendation]
    ) -> Sequence[Recommendation]:
        """Return those of some papers that are better cited together than the first one alone.

        Where words of the sentence cite papers, they are the papers of these words.
        """
        # Imported where needed: a server starts without models.
        from cite_lsp.recommend.missing.gaps import co_cited, context_for

        if place.sentence is None:
            return ()
        name = _name_of(place), tuple(paper.key for paper in papers)
        if cited := place.cited_in_words(papers):
            return cited if len(cited) > 1 else ()
        if name not in self._together:
            request = self._request
            context = context_for(place.draft, place.sentence, place.marker)
            self._together[name] = co_cited(
                request.recommender, place.draft, context, papers, request.cancelled
            )
        return self._together[name]

    def plausible(self, place: CitationPlace) -> Sequence[Recommendation]:
        """Return the papers to cite in a sentence that the writer points at, () if none will do."""
        from cite_lsp.recommend.engine import PLAUSIBLE

        plausible = tuple(
            recommendation
            for recommendation in self.best(place)
            if not recommendation.paper.retracted
        )
        if not _by_default(plausible):
            return plausible[:1]
        if max((recommendation.score for recommendation in plausible), default=0.0) < PLAUSIBLE:
            return ()
        return self.together(place, plausible) or plausible[:1]


def _by_default(papers: Sequence[Recommendation]) -> bool:
    """Whether the default method ranked papers; the scores of others are no probabilities."""
    return all(paper.method == "default" for paper in papers)


def _name_of(place: CitationPlace) -> _Name:
    return place.offset, place.sentence is not None


def _ranked(request: Request, place: CitationPlace) -> tuple[Recommendation, ...]:
    from cite_lsp.recommend.missing.gaps import context_for, surest_first
    from cite_lsp.recommend.query.author_year_mentions import (
        author_year_mentions,
        cited_in_words_first,
    )

    out = place.cited | dismissals(request).keys(place.text)
    ranked = request.recommender.recommend(
        place.draft, place.offset, limit=MOST_PROPOSED + len(out), cancelled=request.cancelled
    )
    wanted = tuple(paper for paper in ranked if paper.key not in out)[:MOST_PROPOSED]
    if place.sentence is not None and _by_default(wanted):
        context = context_for(place.draft, place.sentence, place.marker)
        wanted = surest_first(request.recommender, place.draft, context, wanted)
        if place.marker is None:
            return cited_in_words_first(author_year_mentions(context.sentence), wanted)
    return wanted
