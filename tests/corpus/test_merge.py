"""One paper where several records are of it, with the fields of all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.corpus.merge import PaperMerge, arxiv_of
from cite_lsp.paper import Paper


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path / "scratch"


def merge(scratch: Path, *papers: Paper) -> list[Paper]:
    made = PaperMerge(scratch)
    for number, paper in enumerate(papers):
        made.add(paper, (number,))
    found = [paper for paper, _ in made.papers()]
    made.close()
    assert not scratch.exists()
    return found


def ids(scratch: Path, *papers: Paper) -> list[str]:
    return [paper.id for paper in merge(scratch, *papers)]


@pytest.mark.parametrize(
    "second",
    [
        Paper("a", "Something else", year=1999),
        Paper("b", "Something else", doi="10.1234/X", year=1999),
        Paper("b", "On  TIDES.", year=2011),
    ],
    ids=["same id", "same DOI", "same title and year"],
)
def test_the_same_paper_stays_once_and_the_first_is_kept(scratch: Path, second: Paper) -> None:
    first = Paper("a", "On tides", doi="10.1234/x", year=2011)
    assert ids(scratch, first, second) == ["a"]


@pytest.mark.parametrize(
    "second",
    [
        Paper("b", "On tides", year=2012),
        Paper("b", "On tides"),
        Paper("b", "On tides and marshes", year=2011),
    ],
)
def test_papers_that_differ_in_title_or_year_stay_two(scratch: Path, second: Paper) -> None:
    assert ids(scratch, Paper("a", "On tides", year=2011), second) == ["a", "b"]


def test_what_was_merged_away_still_tells_its_later_copies(scratch: Path) -> None:
    first = Paper("a", "On tides", year=2011)
    copy = Paper("b", "On tides", doi="10.1234/x", year=2011)
    assert ids(scratch, first, copy, Paper("c", "Ebb and flow", doi="10.1234/x")) == ["a"]


def test_titles_of_signs_alone_are_not_all_the_same(scratch: Path) -> None:
    assert ids(scratch, Paper("a", "???"), Paper("b", "—")) == ["a", "b"]


def test_one_key_of_two_bibliographies_may_name_two_works(scratch: Path) -> None:
    works = [Paper("entry:moor", "On tides"), Paper("entry:moor", "On marshes")]
    assert ids(scratch, *works, works[1]) == ["entry:moor", "entry:moor~2"]


def test_the_fields_of_all_records_are_joined(scratch: Path) -> None:
    preprint = Paper(
        "arxiv:1706.03762", "Attention is all you need", "An abstract.", ("A. Vaswani",), 2017,
        "arXiv", "10.48550/arxiv.1706.03762", "https://arxiv.org/abs/1706.03762v5",
        kind="article", arxiv="1706.03762v5",
    )  # fmt: skip
    published = Paper(
        "W1", "Attention Is All You Need!", "", ("Ashish Vaswani", "Noam Shazeer"), 2018, "NIPS",
        "10.5555/3295222", arxiv="1706.03762", kind="paper-conference", retracted=True,
    )  # fmt: skip
    (one,) = merge(scratch, preprint, published)
    assert (one.id, one.abstract, one.doi) == (preprint.id, "An abstract.", "10.5555/3295222")
    assert (one.venue, one.year, one.kind) == ("NIPS", 2018, "paper-conference")
    assert (one.arxiv, one.retracted) == ("1706.03762", True)


def test_short_titles_are_told_apart_by_their_authors(scratch: Path) -> None:
    papers = [Paper(name, "Editorial", authors=(f"Ann {name}",), year=2001) for name in "ab"]
    assert ids(scratch, *papers) == ["a", "b"]


def test_a_paper_knows_all_its_sources(scratch: Path) -> None:
    made = PaperMerge(scratch)
    for origin, doi in enumerate(("", "10.1234/x", "10.1234/x")):
        made.add(Paper(str(origin), "On tides and on ebb", doi=doi, year=2001), (origin,))
    made.add(Paper("other", "Dunes"), (1,))
    assert [(paper.id, origins) for paper, origins in made.papers()] == [
        ("0", (0, 1, 2)),
        ("other", (1,)),
    ]
    made.close()


@pytest.mark.parametrize(
    ("paper", "number"),
    [
        (Paper("a", "T", arxiv="2001.00001v3"), "2001.00001"),
        (Paper("a", "T", doi="10.48550/arXiv.2001.00001"), "2001.00001"),
        (Paper("a", "T", url="http://arxiv.org/pdf/hep-th/9901001v2.pdf"), "hep-th/9901001"),
        (Paper("a", "T", url="https://example.org/2001.00001"), ""),
    ],
)
def test_arxiv_numbers_are_known_without_their_version(paper: Paper, number: str) -> None:
    assert arxiv_of(paper) == number


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "y"])), max_size=12))
def test_no_two_papers_of_a_merge_share_an_identity(
    tmp_path_factory: pytest.TempPathFactory, given_papers: list[tuple[str, str]]
) -> None:
    papers = [
        Paper(f"p{row}", f"A title of more words {title}", doi=doi and f"10.1234/{doi}", year=2001)
        for row, (title, doi) in enumerate(given_papers)
    ]
    found = merge(tmp_path_factory.mktemp("merge") / "scratch", *papers)
    titles, dois = [one.title for one in found], [one.doi for one in found if one.doi]
    assert len(set(titles)) == len(titles) and len(set(dois)) == len(dois)
    assert {one.title for one in papers} >= set(titles)
