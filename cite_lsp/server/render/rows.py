"""Recommendations as plain data, for the pickers and panels that editors build."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from cite_lsp.library.text.display import shown
from cite_lsp.library.text.invisible_characters import printable, printable_line
from cite_lsp.recommend.base.recommendation import CitedElsewhere, Recommendation
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.server.render import cards


def row(recommendation: Recommendation, cited: Collection[str] = ()) -> dict[str, Any]:
    """Return a recommendation as a row; `cited` are the keys that its sentence cites already.

    What is to be read misleads nobody; key, DOI and address are as they are.
    """
    return _row(recommendation, cards.reason(recommendation), recommendation.key in cited)


def linked_row(recommendation: Recommendation) -> dict[str, Any]:
    """Return a paper that citations link to another as such a row, with where it is known from."""
    reason = cards.reason(recommendation) if recommendation.corpus else "in your library"
    return _row(recommendation, reason, False)


def _row(recommendation: Recommendation, reason: str, cited: bool) -> dict[str, Any]:
    paper = shown(recommendation.paper)
    why = cards.warning(recommendation) + reason
    return {
        "key": recommendation.key,
        "name": printable_line(short_name(recommendation.paper)),
        "title": printable_line(paper.title),
        "authors": list(map(printable_line, paper.authors)),
        "moreAuthors": paper.more_authors,
        "year": paper.year,
        "venue": printable_line(paper.venue),
        "score": round(recommendation.score, 4),
        "reason": printable_line(why),
        "abstract": printable(paper.abstract),
        "doi": paper.doi,
        "url": paper.url,
        "inLibrary": recommendation.entry is not None,
        "cited": cited,
        "corpus": recommendation.corpus,
    }


def cited_elsewhere_fields(cited: CitedElsewhere | None) -> dict[str, Any]:
    """Return how another paper cites one: the sentence, that paper, its corpus; {} if unknown."""
    if cited is None:
        return {}
    return {
        "sentence": cited.sentence,
        "name": printable_line(short_name(cited.paper)),
        "title": printable_line(shown(cited.paper).title),
        "year": cited.paper.year,
        "corpus": cited.corpus,
    }
