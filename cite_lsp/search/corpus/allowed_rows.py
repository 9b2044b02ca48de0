"""Which papers of a corpus filters allow, without reading all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.filters import Filters


def allowed_rows(corpus: CorpusIndex, filters: Filters) -> NDArray[np.bool_] | None:
    """Return for every row whether its paper is wanted, shape (n,); None where all are.

    Years are a column, and of every venue within them one paper is read: two venues share a hash
    with a chance of 1 in 4 billion.
    """
    if not filters:
        return None
    allowed = np.ones(len(corpus), dtype=np.bool_)
    if filters.first_year is not None:
        allowed &= corpus.years >= filters.first_year
    if filters.last_year is not None:
        allowed &= (corpus.years > 0) & (corpus.years <= filters.last_year)
    if filters.languages:
        allowed &= corpus.papers.in_languages(filters.languages)
    if filters.venues:
        rows = np.flatnonzero(allowed)
        allowed[rows] = _in_venues(corpus, rows, Filters(venues=filters.venues))
    return allowed


def _in_venues(corpus: CorpusIndex, rows: NDArray[np.int64], venues: Filters) -> NDArray[np.bool_]:
    """Return for some rows whether their papers are of the venues, shape (len(rows),)."""
    _, firsts, places = np.unique(
        corpus.columns.venues[rows], return_index=True, return_inverse=True
    )
    wanted = [venues.allow(corpus.paper(int(row))) for row in rows[firsts]]
    return np.array(wanted, dtype=np.bool_)[places]
