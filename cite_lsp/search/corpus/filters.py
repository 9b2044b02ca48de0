"""Which papers of a corpus are wanted: by year, venue and language."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import Paper, fold

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
