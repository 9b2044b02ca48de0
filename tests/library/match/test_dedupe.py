"""Whether a library has a paper already."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import parse_bibliography
from cite_lsp.library.match.dedupe import SameWork, is_same_work
from cite_lsp.paper import Paper

LIBRARY = """
@article{doi, title={Something Else Entirely}, doi={https://doi.org/10.1000/AB\\_c}, author={A, B}}
@misc{arxiv, title={A Preprint}, eprint={1706.03762}, archiveprefix={arXiv}}
@article{title, title={{The} {\\'E}tude: of {BERT}}, author={van der Berg, Jan and Doe, A.}}
@article{subtitle, title={Main}, subtitle={And More}, author={Doe, Anne}}
@article{old, title={An Old One}, doi={10.1000/s(95)}, author={A, B}}
@article{marked, title={The <i>h</i>-Index of Q\\&amp;A}, author={Doe, Anne}}
@article{mendeley, title={With Braces}, doi={10.1007/978-3-319-24574-4{\\_}28}}
@article{wiley, title={Pointed}, doi={10.1002/(SICI)10(98)17:15/16<1661::AID>3.0.CO;2-2}}
@article{set, title={Pointed Too}, doi={10.1002/(SICI)10(99)18:1/2$<$24::AID$>$3.0.CO;2-2}}
@article{mentions, title={A Review}, abstract={We discuss 10.1000/zzz and arXiv:2001.00001.}}
@article{blanks, title={面向 BERT 的文本 分类}, author={王五}}
@article{order, title={Nests of Gulls}, author={Zhang San and Li Si}}
@article{initial, title={Nests of Terns}, author={Zhang S and others}}
@article{spelt, title={海鸥的巢穴研究}, author={单, 三}}
"""


def matching_key(paper: Paper) -> str | None:
    entry = SameWork(parse_bibliography(LIBRARY, Path("a.bib")).entries).find(paper)
    return entry.key if entry else None


@pytest.mark.parametrize(
    ("paper", "key"),
    [
        (Paper("x", "Another title", doi="10.1000/ab_c"), "doi"),
        (Paper("x", "An old one, again", doi="10.1000/s(95)"), "old"),
        (Paper("x", "Without", doi="10.1007/978-3-319-24574-4_28"), "mendeley"),
        (Paper("x", "A", doi="10.1002/(sici)10(98)17:15/16<1661::aid>3.0.co;2-2"), "wiley"),
        (Paper("x", "B", doi="10.1002/(sici)10(99)18:1/2<24::aid>3.0.co;2-2"), "set"),
        (Paper("x", "Renamed since", arxiv="1706.03762"), "arxiv"),
        (Paper("x", "Renamed", doi="10.48550/arxiv.1706.03762"), "arxiv"),
        (Paper("x", "Renamed", url="https://arxiv.org/abs/1706.03762"), "arxiv"),
        (Paper("x", "The Etude of Bert", authors=("Jan van der Berg",)), "title"),
        (Paper("x", "the étude – of BERT"), "title"),
        (Paper("x", "The Etude of Bert", authors=("Zoe Other",)), None),
        (Paper("x", "The h-index of Q&A", authors=("Anne Doe",)), "marked"),
        (Paper("x", "Main: and more", authors=("Anne Doe",)), "subtitle"),
        (Paper("x", "Main", authors=("Anne Doe",)), None),
        (Paper("x", "面向BERT的文本分类", authors=("王五",)), "blanks"),
        (Paper("x", "Nests of gulls", authors=("San Zhang",)), "order"),
        (Paper("x", "Nests of gulls", authors=("San Li",)), None),
        (Paper("x", "Nests of terns", authors=("San Zhang",)), "initial"),
        (Paper("x", "Nests of terns", authors=("Sun Zhao",)), None),
        (Paper("x", "海鸥的巢穴研究", authors=("San Shan",)), "spelt"),
        (Paper("x", "海鸥的巢穴研究", authors=("Wu Wang",)), None),
        (Paper("x", "Cited there", doi="10.1000/zzz"), None),
        (Paper("x", "Cited there", arxiv="2001.00001"), None),
        (Paper("x", ""), None),
    ],
)
def test_a_work_is_known_by_its_numbers_or_by_title_and_author(
    paper: Paper, key: str | None
) -> None:
    assert matching_key(paper) == key


def test_chapters_that_carry_the_doi_of_their_book_are_several_works() -> None:
    doi = "10.1000/handbook"
    text = f"""
@incollection{{ebb, title = {{What the ebb leaves}}, author = {{Reed, Ida}}, doi = {{{doi}}},
  booktitle = {{Handbook of Shores}}}}
"""
    same_work = SameWork(parse_bibliography(text, Path("a.bib")).entries)
    other = Paper("x", "Grasses of the dunes", authors=("Bo Fen",), doi=doi)
    book = Paper("x", "Handbook of Shores", doi=doi)
    again = Paper("x", "What the ebb leaves: a survey", authors=("Ida Reed",), doi=doi)
    translated = Paper("x", "Was die Ebbe zurücklässt", authors=("Ida Reed",), doi=doi)
    assert same_work.find(other) is None and same_work.find(book) is None
    for paper in (again, translated):
        entry = same_work.find(paper)
        assert entry is not None and entry.key == "ebb"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("year=2004", "year=2005", True),  # online first
        ("year=1999", "year=2010", False),  # another edition
        ("year=2004, doi={10.1234/a}", "year=2004, doi={10.1234/b}", False),
        (
            "year=2015, eprint={1501.00001}, archiveprefix={arXiv}",
            "year=2018, doi={10.1234/b}",
            True,
        ),
    ],
)
def test_two_entries_of_a_library_are_one_work(
    tmp_path: Path, first: str, second: str, same: bool
) -> None:
    path = tmp_path / "library.bib"
    head = "title={How tidal marshes trap sediment}, author={Orr, Ada}"
    text = f"@article{{a, {head}, {first}}}\n@article{{b, {head}, {second}}}\n"
    entry, other = parse_bibliography(text, path).entries
    assert is_same_work(entry, other) is same
