"""Filters: years, venues and languages, written in a few letters."""

from __future__ import annotations

import pytest

from cite_lsp.paper import Paper
from cite_lsp.search.corpus.filters import Filters, read_filters
from cite_lsp.search.milvus.corpus import expression

PAPER = Paper("p", "Tides", year=2015, venue="Findings of ACL 2015", language="en")


@pytest.mark.parametrize(
    ("years", "first", "last"),
    [("2010-2020", 2010, 2020), ("2010-", 2010, None), ("-2020", None, 2020), ("2015", 2015, 2015)],
)
def test_years_are_read(years: str, first: int | None, last: int | None) -> None:
    assert read_filters(years) == Filters(first, last)


@pytest.mark.parametrize("years", ["soon", "2010-2015-2020", "-", "20150", "2020-2010"])
def test_other_texts_are_no_years(years: str) -> None:
    with pytest.raises(ValueError, match="no years"):
        read_filters(years)


def test_a_language_is_a_code() -> None:
    assert read_filters(languages="en, ZH") == Filters(languages=("en", "zh"))
    with pytest.raises(ValueError, match="'english' is no code of a language"):
        read_filters(languages="en,english")


@pytest.mark.parametrize(
    "filters",
    [Filters(), Filters(2015, 2015), Filters(venues=("EMNLP", "acl")), Filters(languages=("en",))],
)
def test_a_paper_within_the_bounds_is_wanted(filters: Filters) -> None:
    assert filters.allow(PAPER)


@pytest.mark.parametrize(
    "filters",
    [Filters(2016), Filters(None, 2014), Filters(venues=("NAACL",)), Filters(languages=("zh",))],
)
def test_a_paper_beyond_one_of_them_is_not(filters: Filters) -> None:
    assert not filters.allow(PAPER)


def test_a_paper_without_a_year_is_of_none() -> None:
    undated = Paper("u", "Undated")
    assert not Filters(first_year=1900).allow(undated)
    assert not Filters(last_year=2100).allow(undated)


def test_bounds_of_two_filters_hold_together() -> None:
    both = Filters(2000, 2010, ("acl",)).narrowed(Filters(2005, 2020, languages=("zh",)))
    assert both == Filters(2005, 2010, ("acl",), ("zh",))


def test_filters_are_written_as_the_engine_reads_them() -> None:
    filters = Filters(2010, 2020, ('A"C_L',), ("en", "zh"))
    assert expression(filters) == (
        'year >= 2010 and year > 0 and year <= 2020 and language in ["en", "zh"] '
        'and (venue like "%a_c_l%")'
    )
    assert "venue" not in expression(filters, infix=False)
    assert expression(Filters()) == ""
