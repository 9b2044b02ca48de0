from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import Entry, parse_bibliography
from cite_lsp.library.match.duplicate_works import duplicate_works, is_duplicate

FEN = "title = {The {Growth} of Fens}, author = {Moor, Ada and Li, Bo}"


def pairs(*records: str) -> list[tuple[str, str]]:
    text = "\n".join(f"@{record}" for record in records)
    entries = parse_bibliography(text, Path("/drafts/refs.bib")).entries
    return [(entry.key, earlier.key) for entry, earlier in duplicate_works(entries)]


def article(key: str, more: str = "", title: str = FEN, kind: str = "article") -> str:
    return f"{kind}{{{key}, {title}, {more}}}"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("year = 2001, journal = {Fens}", "date = {2001-05}, journaltitle = {Fens}"),
        ("year = 2001, doi = {10.1000/a}", "year = 2003, doi = {https://doi.org/10.1000/A}"),
        ("year = 2001, eprint = {2001.01234}", "year = 2002, eprint = {2001.01234v2}"),
        ("year = 2001, volume = 3, journal = {Fens}", "year = 2001, volume = 3, journal = {F}"),
        ("year = 2001, eprint = {2001.01234}", "year = 2002, journal = {Fens}"),
    ],
)
def test_one_work_under_two_keys(first: str, second: str) -> None:
    assert pairs(article("a", first), article("b", second)) == [("b", "a")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("year = 2001", "year = 2002"),
        ("year = 2001", ""),
        ("year = 2001, doi = {10.1000/a}", "year = 2001, doi = {10.1000/b}"),
        ("year = 2001, volume = 1", "year = 2001, volume = 2"),
        ("year = 2001, pages = {1--9}", "year = 2001, pages = {11--19}"),
        ("year = 2001, journal = {Fens}", "year = 2001, journal = {Moors}"),
        ("year = 2001, eprint = {2001.01234}", "year = 2001, eprint = {2001.01235}"),
        ("year = 2002, eprint = {2002.01234}", "year = 2001, journal = {Fens}"),
    ],
)
def test_articles_that_fields_tell_apart(first: str, second: str) -> None:
    assert pairs(article("a", first), article("b", second)) == []


def test_volumes_and_editions_of_a_book_are_works_of_their_own() -> None:
    for field, first, second in (
        ("volume", 1, 2),
        ("edition", "1st", "2"),
        ("isbn", "978-0-201-89683-1", "0-201-89684-2"),
    ):
        books = [
            article(str(key), f"year = 1997, {field} = {{{value}}}", kind="book")
            for key, value in enumerate((first, second))
        ]
        assert pairs(*books) == []
    same = [
        article(key, f"isbn = {{{isbn}}}, edition = {{{edition}}}", kind="book")
        for key, isbn, edition in (("a", "978-0-201-89683-1", "2nd"), ("b", "0201896834", "2"))
    ]
    assert pairs(*same) == [("b", "a")]


def test_a_talk_and_the_article_of_it_are_two_works() -> None:
    talk = article("talk", "year = 2001, booktitle = {Proc. of Fens}", kind="inproceedings")
    assert pairs(talk, article("paper", "year = 2001, journal = {Fens}")) == []


def test_a_talk_in_two_collections_of_two_publishers_is_two_works() -> None:
    first = "year = 2001, booktitle = {Proc. of Fens}, publisher = {Peat}"
    second = "year = 2001, booktitle = {Selected Papers}, publisher = {Silt}"
    talks = [article("a", first, kind="inproceedings"), article("b", second, kind="inproceedings")]
    assert pairs(*talks) == []
    same = article("c", first.replace("Proc. of Fens", "Proceedings of Fens"), kind="inproceedings")
    assert pairs(talks[0], same) == [("c", "a")]


def test_a_thesis_and_a_report_of_its_title_are_two_works() -> None:
    thesis = article("thesis", "year = 2001, school = {Fen}", kind="phdthesis")
    assert pairs(thesis, article("report", "year = 2001", kind="techreport")) == []


def test_a_part_is_not_its_book() -> None:
    book = article("book", "year = 2001, doi = {10.1000/a}", kind="book")
    part = article("part", "year = 2001, doi = {10.1000/a}, chapter = 3", kind="inbook")
    other = article("other", "year = 2001, doi = {10.1000/a}, chapter = 4", kind="inbook")
    assert pairs(book, part, other) == []


def test_authors_of_another_name_wrote_another_work() -> None:
    other = FEN.replace("Moor, Ada", "Fenn, Cy")
    assert pairs(article("a", "year = 2001"), article("b", "year = 2001", other)) == []


def test_pages_of_one_title_have_addresses_of_their_own() -> None:
    pages = [
        article(key, f"year = 2001, url = {{https://fens.org/{key}}}", kind="online")
        for key in ("a", "b")
    ]
    assert pairs(*pages) == []


def test_what_others_name_is_left_alone() -> None:
    whole = article("whole", "year = 2001", kind="book")
    again = article("again", "year = 2001", kind="book")
    assert pairs(whole, again) == [("again", "whole")]
    assert pairs(whole, again, "inbook{part, crossref = {again}, title = {P}}") == []


def test_a_key_that_is_used_twice_is_another_matter() -> None:
    assert pairs(article("a", "year = 2001"), article("A", "year = 2001")) == []


def test_of_three_entries_the_first_stands_for_the_work() -> None:
    entries = [article(key, "year = 2001") for key in ("a", "b", "c")]
    assert pairs(*entries) == [("b", "a"), ("c", "a")]


def test_a_reprint_is_not_what_it_names() -> None:
    assert pairs(article("a", "year = 2001"), article("b", "year = 2001, related = {a}")) == []


def test_an_entry_is_compared_with_few_others_of_its_title(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[str] = []

    def count(entry: Entry, other: Entry) -> bool:
        compared.append(entry.key)
        return is_duplicate(entry, other)

    monkeypatch.setattr(f"{duplicate_works.__module__}.is_duplicate", count)
    prefaces = [article(f"p{number}", f"year = {number}") for number in range(300)]
    assert pairs(*prefaces) == []
    assert len(compared) < 20 * len(prefaces)
