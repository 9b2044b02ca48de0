"""Which papers of a corpus are wanted: by year, venue and language, without reading all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import Paper, fold
from cite_lsp.search.corpus.corpus_index import CorpusIndex

_YEARS = lazy_re(r"(\d{1,4})?(?:(-)(\d{1,4})?)?")

_CODE = lazy_re(r"[a-z]{2,3}")


@frozen
class Filters:
    """Bounds that every paper must keep; what is None or empty bounds nothing.

    first_year, last_year: both included; a paper without a year keeps neither. venues: one of them
    stands in the name of the venue, case and accents aside. languages: ISO 639-1 codes.
    """

    first_year: int | None = None
    last_year: int | None = None
    venues: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Filters()

    def narrowed(self, other: Filters) -> Filters:
        """Return filters with the bounds of another where it has any, within these years."""
        first = max((year for year in (self.first_year, other.first_year) if year), default=None)
        last = min((year for year in (self.last_year, other.last_year) if year), default=None)
        return Filters(first, last, other.venues or self.venues, other.languages or self.languages)

    def allow(self, paper: Paper) -> bool:
        """Whether a paper is wanted."""
        if self.first_year is not None and (paper.year or 0) < self.first_year:
            return False
        if self.last_year is not None and not 0 < (paper.year or 0) <= self.last_year:
            return False
        if self.languages and paper.language not in self.languages:
            return False
        venue = fold(paper.venue)
        return not self.venues or any(fold(name) in venue for name in self.venues)


def read_filters(years: str = "", venues: Sequence[str] = (), languages: str = "") -> Filters:
    """Read filters as they are written: "2015-2020", "2015-", "-2020" or "2015"; "en,zh".

    Raises:
        ValueError: these are no years, or no codes of languages.
    """
    match = _YEARS.fullmatch(years.strip())
    if match is None or years.strip() == "-":
        raise ValueError(f"{years!r} are no years; write 2015-2020, 2015-, -2020 or 2015")
    first, dash, last = match.groups()
    if not dash:
        last = first
    if first and last and int(first) > int(last):
        raise ValueError(f"{years!r} are no years, as the first is after the last")
    codes = [code.strip().lower() for code in languages.split(",") if code.strip()]
    for code in codes:
        if not _CODE.fullmatch(code):
            raise ValueError(f"{code!r} is no code of a language; write its two letters, as en,zh")
    return Filters(
        int(first) if first else None,
        int(last) if last else None,
        tuple(venue.strip() for venue in venues if venue.strip()),
        tuple(codes),
    )


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
    is_allowed = [venues.allow(corpus.paper(int(row))) for row in rows[firsts]]
    return np.array(is_allowed, dtype=np.bool_)[places]
