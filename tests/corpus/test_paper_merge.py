"""One paper where several records are of it, with the fields of all."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.corpus.paper_identifiers import identifier_hash
from cite_lsp.corpus.paper_merge import Origins, PaperMerge, PaperRecords
from cite_lsp.paper import Paper


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path / "scratch"


def merge(scratch: Path, *papers: Paper) -> list[Paper]:
    records = PaperRecords(scratch)
    for number, paper in enumerate(papers):
        records.add(paper, (number,))
    merged_papers = [paper for paper, _ in PaperMerge(records).papers()]
    records.close()
    assert not scratch.exists()
    return merged_papers


def ids(scratch: Path, *papers: Paper) -> list[str]:
    return [paper.id for paper in merge(scratch, *papers)]


@pytest.mark.parametrize(
    "second",
    [
        Paper("a", "On tides: a study", year=1999),
        Paper("b", "Something else", doi="10.1234/X", year=1999),
        Paper("b", "On  TIDES.", year=2011),
    ],
    ids=["same id", "same DOI", "same title and year"],
)
def test_the_same_paper_stays_once_and_the_first_wins(scratch: Path, second: Paper) -> None:
    first = Paper("a", "On tides", doi="10.1234/x", year=2011)
    assert ids(scratch, first, second) == ["a"]


@pytest.mark.parametrize(
    "second",
    [
        Paper("b", "基于BERT的中文短文本分类研究", year=2019),
        Paper("b", "基于 BERT 的中文短文本分类研究", authors=("张三",)),
    ],
    ids=["no author", "blanks and no year"],
)
def test_a_chinese_title_tells_as_much_as_its_words(scratch: Path, second: Paper) -> None:
    first = Paper("a", "基于BERT的中文短文本分类研究", authors=("张三",), year=2019)
    assert ids(scratch, first, second) == ["a"]


def test_a_short_chinese_title_tells_no_work_by_itself(scratch: Path) -> None:
    first = Paper("a", "机器学习", authors=("周志华",), year=2016)
    second = Paper("b", "机器学习", authors=("张三",), year=2016)
    assert ids(scratch, first, second) == ["a", "b"]


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
    papers = [Paper("entry:moor", "On tides"), Paper("entry:moor", "On marshes")]
    assert ids(scratch, *papers, papers[1]) == ["entry:moor", "entry:moor~2"]


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
    (paper,) = merge(scratch, preprint, published)
    assert (paper.id, paper.abstract, paper.doi) == (preprint.id, "An abstract.", "10.5555/3295222")
    assert (paper.venue, paper.year, paper.kind) == ("NIPS", 2018, "paper-conference")
    assert (paper.arxiv, paper.retracted) == ("1706.03762", True)


def test_capital_letters_of_its_doi_are_taken_from_any_record(scratch: Path) -> None:
    records = [
        Paper("W1", "On tides", doi="10.1000/x", year=2011),
        Paper("doi:10.1000/x", "On tides", doi="10.1000/x", written_doi="10.1000/X", year=2011),
        Paper(
            "arxiv:1", "On tides", doi="10.48550/arxiv.1", written_doi="10.48550/arXiv.1", year=2011
        ),
    ]
    for first in records[:2]:
        (paper,) = merge(scratch, first, *records)
        assert (paper.doi, paper.written_doi) == ("10.1000/x", "10.1000/X")


def test_a_list_of_all_authors_goes_before_one_that_leaves_some_out(scratch: Path) -> None:
    short = Paper("a", "On tides", authors=("Ada Moor",), doi="10.1000/t", more_authors=True)
    whole = Paper("b", "On tides", authors=("A. Moor", "Bo Fen"), doi="10.1000/t")
    bare = Paper("c", "On tides", doi="10.1000/t")
    (paper,) = merge(scratch, bare, short, whole)
    assert (paper.authors, paper.more_authors) == (("A. Moor", "Bo Fen"), False)
    (paper,) = merge(scratch, bare, short)
    assert (paper.authors, paper.more_authors) == (("Ada Moor",), True)


def test_short_titles_are_distinguished_by_their_authors(scratch: Path) -> None:
    papers = [Paper(name, "Editorial", authors=(f"Ann {name}",), year=2001) for name in "ab"]
    assert ids(scratch, *papers) == ["a", "b"]


SPECIAL = "Introduction to the special issue"
SMITH, JONES = ("Ann Smith",), ("Bo Jones",)


@pytest.mark.parametrize(
    "second",
    [
        Paper("b", SPECIAL, authors=JONES, year=2019),
        Paper("b", SPECIAL, authors=SMITH, year=2019, doi="10.1234/b"),
        Paper("b", SPECIAL, year=2019, doi="10.1234/b"),
    ],
    ids=["another author", "another DOI", "another DOI and no author"],
)
def test_one_title_of_two_works_stays_two(scratch: Path, second: Paper) -> None:
    first = Paper("a", SPECIAL, authors=SMITH, year=2019, doi="10.1234/a")
    assert ids(scratch, first, second) == ["a", "b"]


@pytest.mark.parametrize(
    "second",
    [
        Paper("b", SPECIAL, authors=("Smith, A.",), year=2019),
        Paper("b", SPECIAL, authors=("van Smith, A.",), year=2019),
        Paper("b", SPECIAL, year=2019),
        Paper("b", SPECIAL, authors=("Anonymous Authors",), year=2019),
        Paper("b", SPECIAL, authors=SMITH, year=2019, doi="10.48550/arXiv.1901.00001"),
        Paper("b", SPECIAL, authors=SMITH, year=2019, doi="10.1101/2019.01.02.123456"),
    ],
    ids=["initials", "a particle", "no author", "anonymous", "of arXiv", "of bioRxiv"],
)
def test_one_title_and_author_are_one_work(scratch: Path, second: Paper) -> None:
    first = Paper("a", SPECIAL, authors=SMITH, year=2019, doi="10.1234/a")
    (paper,) = merge(scratch, second, first)
    assert (paper.id, paper.doi) == ("b", "10.1234/a")


@pytest.mark.parametrize(
    "third",
    [
        Paper("c", SPECIAL, year=2019),
        Paper("c", SPECIAL, authors=("Anonymous",), year=2019),
    ],
)
def test_what_may_be_of_either_work_is_of_neither(scratch: Path, third: Paper) -> None:
    first = Paper("a", SPECIAL, authors=SMITH, year=2019)
    second = Paper("b", SPECIAL, authors=JONES, year=2019)
    assert ids(scratch, first, second, third) == ["a", "b", "c"]
    of_smith = Paper("c", SPECIAL, authors=SMITH, year=2019)
    dois = [evolve(first, doi="10.1234/a"), evolve(first, id="b", doi="10.1234/b")]
    assert ids(scratch, *dois, of_smith) == ["a", "b", "c"]


def test_unrelated_papers_of_one_running_number_stay_two(scratch: Path) -> None:
    tides = Paper("1", "On tides and on ebb", authors=SMITH, year=2001)
    cotton = Paper("1", "The price of cotton", authors=JONES, year=1987)
    assert ids(scratch, tides, cotton, tides) == ["1", "1~2"]
    assert ids(scratch, cotton, Paper("1", "", "Whose abstract?"), tides) == ["1", "1~2"]


@pytest.mark.parametrize(
    "second",
    [
        Paper("1", "On tides and on flood", year=1999),
        Paper("1", "A study: on tides and on ebb"),
        Paper("1", "Über die Gezeiten", authors=("Smith, A.",), year=2001),
        Paper("1", "", "An abstract."),
    ],
    ids=["begins alike", "ends alike", "translated", "without a title"],
)
def test_one_id_of_titles_that_are_alike_is_one_paper(scratch: Path, second: Paper) -> None:
    first = Paper("1", "On tides and on ebb", authors=SMITH, year=2001)
    assert ids(scratch, first, second) == ["1"]


def test_an_id_of_one_source_or_of_a_catalogue_is_taken_at_its_word(scratch: Path) -> None:
    records = PaperRecords(scratch)
    records.add(Paper("1", "On tides and on ebb"), (0,))
    records.add(Paper("1", "The price of cotton"), (0,))
    records.add(Paper("openalex:W1", "On shores"), (0,))
    records.add(Paper("openalex:W1", "Of gulls"), (1,))
    assert [paper.id for paper, _ in PaperMerge(records).papers()] == ["1", "openalex:W1"]
    records.close()


def test_a_paper_knows_all_its_sources(scratch: Path) -> None:
    records = PaperRecords(scratch)
    for origin, doi in enumerate(("", "10.1234/x", "10.1234/x")):
        records.add(Paper(str(origin), "On tides and on ebb", doi=doi, year=2001), (origin,))
    records.add(Paper("other", "Dunes"), (1,))
    assert [(paper.id, origins) for paper, origins in PaperMerge(records).papers()] == [
        ("0", (0, 1, 2)),
        ("other", (1,)),
    ]
    records.close()


BOOK = Paper("book", "Handbook of Shores", authors=("Eva Edit",), doi="10.1234/h", kind="book")
EBB = Paper("ebb", "Ebb and what it leaves", authors=SMITH, venue=BOOK.title, doi=BOOK.doi)
DUNES = Paper("dunes", "Grasses of the dunes", authors=JONES, venue=BOOK.title, doi=BOOK.doi)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_chapters_that_carry_the_doi_of_their_book_are_several_works(
    scratch: Path, order: tuple[int, ...]
) -> None:
    papers = [BOOK, EBB, DUNES]
    assert len(merge(scratch, *(papers[number] for number in order))) == 3
    records = PaperRecords(scratch)
    for work in papers:  # one source says so of all
        records.add(work, (0,))
    merged = PaperMerge(records)
    assert [paper.id for paper, _ in merged.papers()] == ["book", "ebb", "dunes"]
    hashes, numbers = merged.places()
    (place,) = (hashes == identifier_hash("doi 10.1234/h")).nonzero()[0]
    assert numbers[place] == 0  # who cites the DOI cites the book
    records.close()


def test_a_doi_of_chapters_alone_is_of_none_of_them(scratch: Path) -> None:
    records = PaperRecords(scratch)
    records.add(EBB, (0,))
    records.add(DUNES, (0,))
    merged = PaperMerge(records)
    assert len(merged) == len(list(merged.papers())) == 2
    assert identifier_hash("doi 10.1234/h") not in merged.places()[0]
    records.close()


def test_records_that_are_being_merged_take_no_further_one(scratch: Path) -> None:
    records = PaperRecords(scratch)
    records.add(EBB, (0,))
    merged = PaperMerge(records)
    with pytest.raises(ValueError, match="closed"):
        records.add(DUNES, (0,))
    assert len(merged) == len(records) == 1
    records.close()


def test_chapters_of_one_author_are_distinguished_by_their_titles(scratch: Path) -> None:
    ebb, dunes = (evolve(paper, authors=SMITH, kind="chapter") for paper in (EBB, DUNES))
    assert ids(scratch, ebb, dunes) == ["ebb", "dunes"]
    again = evolve(ebb, id="again", title="Ebb and what it leaves: a survey")
    assert ids(scratch, ebb, dunes, again) == ["ebb", "dunes"]


@pytest.mark.parametrize(
    "second",
    [
        evolve(EBB, id="b", title="Was die Ebbe zurücklässt"),
        evolve(EBB, id="b", title="退潮之后", authors=("史密",)),
        evolve(EBB, id="b", title="On ebb", authors=()),
        evolve(EBB, id="b", title="", authors=JONES),
    ],
    ids=["same author", "Chinese", "no author", "no title"],
)
def test_one_doi_of_records_that_may_be_of_one_work_is_one(scratch: Path, second: Paper) -> None:
    assert ids(scratch, EBB, second) == ["ebb"]


def test_a_book_without_an_editor_and_its_only_chapter_are_two_works(scratch: Path) -> None:
    assert ids(scratch, evolve(BOOK, authors=()), EBB) == ["book", "ebb"]


UNDATED = Paper("b", SPECIAL, authors=SMITH)


@pytest.mark.parametrize(
    ("undated", "count"),
    [
        (UNDATED, 1),
        (evolve(UNDATED, authors=()), 1),
        (evolve(UNDATED, authors=JONES), 2),
        (evolve(UNDATED, doi="10.1234/b"), 2),
        (evolve(UNDATED, title="On tides"), 2),
    ],
    ids=["same author", "no author", "another author", "another DOI", "a short title"],
)
def test_a_record_without_a_year_is_of_the_only_work_of_its_title(
    scratch: Path, undated: Paper, count: int
) -> None:
    first = Paper("a", undated.title, authors=SMITH, year=2019, doi="10.1234/a")
    papers = merge(scratch, undated, first)
    assert len(papers) == count
    assert papers[0].year == (2019 if count == 1 else None)


def test_a_record_without_a_year_that_may_be_of_two_works_is_of_neither(scratch: Path) -> None:
    first = Paper("a", SPECIAL, authors=SMITH, year=2019)
    assert ids(scratch, first, UNDATED, evolve(first, id="c", year=2021)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("dated", "undated", "count"),
    [
        (Paper("a", SPECIAL, year=2019), [evolve(UNDATED, doi="10.1234/b"),
         Paper("c", SPECIAL, authors=JONES, doi="10.1234/c")], 3),
        (Paper("a", SPECIAL, year=2019), [UNDATED, Paper("c", SPECIAL, authors=JONES)], 3),
        (Paper("a", SPECIAL, authors=JONES, year=2019), [UNDATED, Paper("c", SPECIAL)], 2),
        (Paper("a", SPECIAL, authors=SMITH, year=2019),
         [evolve(UNDATED, doi="10.1/x"), Paper("c", "On tides", doi="10.1/x", year=1999)], 2),
        (Paper("a", SPECIAL, year=2019), [UNDATED, Paper("c", SPECIAL)], 1),
    ],
    ids=["two DOIs", "two authors", "another author", "of another year", "one author"],
)  # fmt: skip
def test_works_without_a_year_that_are_not_one_stay_apart(
    scratch: Path, dated: Paper, undated: list[Paper], count: int
) -> None:
    assert len(merge(scratch, dated, *undated)) == count
    assert len(merge(scratch, *undated, dated)) == count


RECORDS = st.builds(
    Paper,
    st.sampled_from(["1", "2", "3", "x:1"]),
    st.sampled_from(["", "Notes", SPECIAL, "A study of the shore", "A study of the sea"]),
    authors=st.sampled_from([(), SMITH, JONES, ("Anonymous",)]),
    year=st.sampled_from([2001, 2002, None]),
    doi=st.sampled_from(["", "", "10.1234/x", "10.1234/y", "10.48550/arxiv.2001.00001"]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(RECORDS, max_size=9), st.randoms())
def test_what_is_one_paper_does_not_depend_on_the_order(
    tmp_path_factory: pytest.TempPathFactory, records: list[Paper], rng: Random
) -> None:
    def grouped(order: list[int]) -> set[Origins]:
        added = PaperRecords(file)
        for number in order:
            added.add(records[number], (number,))
        origins_of_papers = {origins for _, origins in PaperMerge(added).papers()}
        added.close()
        return origins_of_papers

    file = tmp_path_factory.mktemp("merge") / "scratch"
    order = list(range(len(records)))
    expected = grouped(order)
    rng.shuffle(order)
    assert grouped(order) == expected


@settings(max_examples=200, deadline=None)
@given(st.lists(RECORDS, max_size=9))
def test_a_doi_names_one_paper_or_parts_of_one_and_an_id_one_paper(
    tmp_path_factory: pytest.TempPathFactory, records: list[Paper]
) -> None:
    papers = merge(tmp_path_factory.mktemp("merge") / "scratch", *records)
    names, dois = [paper.id for paper in papers], [paper.doi for paper in papers if paper.doi]
    assert len(set(names)) == len(names)
    for doi in set(dois):
        titles = {paper.title for paper in records if paper.title and paper.doi == doi}
        assert dois.count(doi) == 1 or len(titles) > 1  # parts of a book
    assert {paper.title for paper in records} >= {paper.title for paper in papers}
