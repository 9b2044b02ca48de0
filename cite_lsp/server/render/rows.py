"""Recommendations as plain data, for the pickers and panels that editors build."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from cite_lsp.library.text.display import shown
from cite_lsp.recommend.base.model import Recommendation
from cite_lsp.server.render import cards


def row(recommendation: Recommendation, cited: Collection[str] = ()) -> dict[str, Any]:
    """Return a recommendation as a row; `cited` are the keys that its sentence cites already."""
    paper = shown(recommendation.paper)
    return {
        "key": recommendation.key,
        "name": cards.headline(recommendation.paper),
        "title": paper.title,
        "authors": list(paper.authors),
        "moreAuthors": paper.more_authors,
        "year": paper.year,
        "venue": paper.venue,
        "score": round(recommendation.score, 4),
        "reason": cards.warning(recommendation) + cards.reason(recommendation),
        "abstract": paper.abstract,
        "doi": paper.doi,
        "url": paper.url,
        "inLibrary": recommendation.entry is not None,
        "cited": recommendation.key in cited,
        "corpus": recommendation.corpus,
    }
