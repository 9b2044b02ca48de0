"""Works that a sentence names by author and year."""

from __future__ import annotations

import pytest

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.query.author_year_mentions import (
    AuthorYear,
    author_year_mentions,
    cited_in_words_first,
)


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("Terns were ringed by Moor et al. (2017).", ["moor 2017"]),
        ("As shown (Moor and Fen, 2020; see Müller, 2019a), so.", ["moor 2020", "muller 2019"]),
        ("As Le Cun, Fen and Reed (2015, p. 3) say, and O’Neil (1999).", ["cun 2015", "neil 1999"]),
        ("Moor等人（2017）研究了燕鸥。", ["moor 2017"]),
        ("They nest (Moor & Fen 2001).", ["moor 2001"]),
        ("Sie nisten (vgl. Moor/Fen 2001).", ["moor 2001"]),
        ("燕鸥筑巢（Moor等，2001）。", ["moor 2001"]),
        ("Of terns (Moor, 2001), and again of terns (Moor, 2001).", ["moor 2001"]),
        ("They nest [Moor & Fen, 2001; Reed, 2003].", ["moor 2001", "reed 2003"]),
        ("As Moor et al. [2001] say.", ["moor 2001"]),
        ("As Moor et al., Fen (2001) say.", ["moor 2001"]),
        ("They nest (Moor et al., Fen, Reed and Roe 2001).", ["moor 2001"]),
        ("They nest (Moor et al. and Fen, 2001; Reed et al. 2003).", ["moor 2001", "reed 2003"]),
        ("Sie nisten (Moor u. a. 2001).", ["moor 2001"]),
        ("Selon Moor et autres (2001), según Fen y otros (2003).", ["moor 2001", "fen 2003"]),
        ("По данным Мур и др. (2001), крачки гнездятся.", ["мур 2001"]),
        ("As Moor (2001, 2003) and Fen (1999 and 2004a) say.",
         ["moor 2001", "moor 2003", "fen 1999", "fen 2004"]),
        ("They nest (Reed 1990; Moor, 2001; 2003, p. 4).",
         ["reed 1990", "moor 2001", "moor 2003"]),
        ("Moor et al.'s (2001) terns, Fen’s (2003) and Müllers' (2004).",
         ["moor 2001", "fen 2003", "mullers 2004"]),
        ("As Moor et al., (2001) say (Fen et al. 2003, Elk 2004; Roe 2005).",
         ["moor 2001", "fen 2003", "elk 2004", "roe 2005"]),
        ("Moor and co-workers (2001), Fen and her colleagues (2003).", ["moor 2001", "fen 2003"]),
        ("In May (2008) it rained (see Table 2010).", []),
        ("From 1990 to 2000 they nested (in 2001).", []),
        ("The method of Moor is old.", []),
    ],
)  # fmt: skip
def test_works_are_named_by_author_and_year(sentence: str, named: list[str]) -> None:
    assert [
        f"{mention.author} {mention.year}" for mention in author_year_mentions(sentence)
    ] == named


@pytest.mark.parametrize(
    ("paper", "is_it"),
    [
        (Paper("a", "Terns", authors=("Ann Moor",), year=2017), True),
        (Paper("a", "Terns", authors=("Bo Fen", "Moor, Ann"), year=2018), True),
        (Paper("a", "Terns", authors=("Ann Moor",)), True),
        (Paper("a", "MOOR: a database", authors=("Bo Fen",), year=2017), True),
        (Paper("a", "Terns", authors=("Ann DeMoor",), year=2017), True),
        (Paper("a", "Terns", authors=("Ann Moor",), year=2010), False),
        (Paper("a", "Terns of 2017", authors=("Bo Fen",), year=2017), False),
    ],
)
def test_a_paper_is_one_by_its_people_or_title_and_about_its_year(
    paper: Paper, is_it: bool
) -> None:
    assert AuthorYear("moor", 2017).matches(paper) is is_it


@pytest.mark.parametrize(
    ("author", "year", "is_it"),
    [
        ("Ann Moor", 2017, True),
        ("Moor, Ann", 2017, True),
        ("Ann Le Moor", 2017, True),
        ("Ann Moor", 2018, False),
        ("Ann Moor", None, False),
        ("Moor Fen", 2017, False),
        ("Ann DeMoor", 2017, False),
    ],
)
def test_a_paper_is_one_for_certain_by_its_first_author_and_its_year(
    author: str, year: int | None, is_it: bool
) -> None:
    paper = Paper("a", "Terns", authors=(author, "Ann Moor"), year=year)
    assert AuthorYear("moor", 2017).is_of(paper) is is_it


def test_what_is_cited_in_words_comes_first_once_and_nothing_is_likelier() -> None:
    fen, moor, reed = (
        Recommendation(Paper(name, "T", authors=(f"A {name.title()}",), year=2017), score)
        for name, score in (("fen", 0.5), ("moor", 0.2), ("reed", 0.3))
    )
    ranked = cited_in_words_first([AuthorYear("moor", 2017)], [moor, fen, reed, moor])
    assert [(paper.key, paper.score) for paper in ranked] == [
        ("moor", 0.5),
        ("fen", 0.5),
        ("reed", 0.3),
    ]
    assert cited_in_words_first([AuthorYear("rush", 2017)], [fen, moor]) == (fen, moor)
