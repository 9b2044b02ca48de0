"""True entries contradict nothing, however they are written; altered ones do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from attrs import evolve

from cite_lsp.library import Entry, parse_bibliography
from cite_lsp.library.match.claims import differences
from cite_lsp.library.text.latex_escape import ascii_only
from cite_lsp.paper import Paper

PAPER = Paper(
    "1",
    "The growth of fens: silt, peat and <i>Sphagnum</i>",
    authors=("Ada Moor", "Bo Li", "José Müller"),
    year=2015,
    venue="Journal of Fens",
    doi="10.1000/fens",
)


def entry(fields: str, doi: str = "10.1000/fens") -> Entry:
    text = f"@article{{a, doi = {{{doi}}}, {fields}}}"
    (only,) = parse_bibliography(text, Path("/drafts/refs.bib")).entries
    return only


def contradicted(fields: str, paper: Paper = PAPER, **names: str) -> list[str]:
    return [difference.claim for difference in differences(entry(fields, **names), paper)]


@pytest.mark.parametrize(
    "fields",
    [
        "title = {The Growth of {Fens}: Silt, Peat and {\\it Sphagnum}}, year = 2015",
        "title = {The growth of fens}, author = {Moor, A. and others}, year = 2014",
        "title = {Growth of Fens, Silt, Peat, Sphagnum}, author = {A. Moor et al.}, year = 2016",
        "title = {RETRACTED: The growth of fens: silt, peat and Sphagnum}",
        "author = {Li, B. and Moor, A. D. and Mueller, J.}",
        "author = {Moor A and Li B}, date = {2015-03-01}",
        "author = {{The Fen Collaboration}}",
        "title = {Journal of Fens}, year = 2015",
        "title = {沼泽的生长}, author = {莫尔}",
        "title = {Рост болот}",
    ],
)
def test_spellings_and_cut_lists_contradict_nothing(fields: str) -> None:
    assert contradicted(fields) == []


@pytest.mark.parametrize(
    ("fields", "claims"),
    [
        ("title = {Storms in the spring of the north}, author = {Moor, Ada}", ["title"]),
        ("title = {The growth of fens}, author = {Fenn, Cy and Tern, Di}", ["authors"]),
        ("title = {The growth of fens}, author = {Moor, Ada}, year = 2013", ["year"]),
        ("title = {Gulls}, author = {Fenn, Cy}, year = 1999", ["title", "authors", "year"]),
    ],
)
def test_what_is_claimed_otherwise_is_told(fields: str, claims: list[str]) -> None:
    assert contradicted(fields) == claims


def test_a_preprint_is_of_any_year_from_its_own_on() -> None:
    paper = evolve(PAPER, doi="", arxiv="1501.01234")
    for year, claims in ((2013, ["year"]), (2014, []), (2019, [])):
        fields = f"eprint = {{1501.01234}}, title = {{{PAPER.title}}}, year = {year}"
        assert contradicted(fields, paper, doi="") == claims


WORDS = (
    "peat silt heron gull tide marsh reed storm spring winter light stone river delta growth decay "
    "model theory practice measure signal noise wave field lattice graph tree forest path bridge "
    "market price trade law court history memory sleep dream cell gene virus plant seed soil water"
).split()
GIVEN = "Ada Bo Cy Di Eva Finn Gil Hana Ivo Jun Kai Lea Mia Noa Olu Pia Quin Rui Sol Tao".split()
FAMILY = (
    "Abara Bianchi Castro Dvořák Eriksen Fontaine Grimaldi Hoffmann Ivanović Jansen Kowalski "
    "Moreau Núñez Lindqvist Müller Okafor Petrov Quispe Rossi Sørensen Takahashi Łukasik Vogel "
    "Weiß Ågren"
).split()


def papers(count: int) -> list[Paper]:
    draw = Random(13)
    return [
        Paper(
            str(number),
            _two_parts(draw.sample(WORDS, draw.randint(4, 9)), draw),
            authors=tuple(
                f"{draw.choice(GIVEN)} {name}" for name in draw.sample(FAMILY, draw.randint(1, 5))
            ),
            year=draw.randint(1995, 2024),
            venue="Proceedings of the Conference on Fens and Marshes",
            doi=f"10.1000/{number}",
        )
        for number in range(count)
    ]


def _two_parts(words: list[str], draw: Random) -> str:
    """Return a title of some words, some with a subtitle."""
    first = len(words) if len(words) < 7 or draw.random() < 0.5 else 4
    return ": ".join(" ".join(part) for part in (words[:first], words[first:]) if part).capitalize()


def as_preprint(paper: Paper) -> Paper:
    """Return a paper without a DOI, but with an arXiv number of its year."""
    assert paper.year is not None
    return evolve(
        paper,
        doi="",
        arxiv=f"{max(paper.year, 2008) % 100:02}05.{int(paper.id):05}",
        year=max(paper.year, 2008),
    )


def written(paper: Paper, draw: Random) -> Entry:
    """Return an entry as writers have it.

    Names are whole, inverted, with initials or without points, accents as commands or not, lists
    are cut; words of titles are in braces, subtitles left out; venues are shortened; numbers are
    addresses. Years are one off, and those of a preprint's publication later.
    """
    spelled = ascii_only if draw.random() < 0.7 else str
    authors = [spelled(_name(author, draw)) for author in paper.authors]
    if len(authors) > 2 and draw.random() < 0.3:
        authors[draw.randint(1, 2) :] = ["others"]
    year = (paper.year or 0) + draw.choice((-1, 0, 0, 0, 1))
    if paper.arxiv:
        year += draw.randint(0, 3)
        number = draw.choice(
            (f"eprint = {{{paper.arxiv}}}", f"url = {{https://arxiv.org/abs/{paper.arxiv}v2}}")
        )
    else:
        number = f"doi = {{{draw.choice(('', 'https://doi.org/', 'doi:'))}{paper.doi}}}"
    venue = draw.choice((paper.venue, " ".join(f"{word[:4]}." for word in paper.venue.split())))
    fields = (
        f"title = {{{_title(paper.title, draw)}}}, author = {{{' and '.join(authors)}}},"
        f" journal = {{{venue}}}, year = {year}, {number}"
    )
    (only,) = parse_bibliography(f"@article{{a, {fields}}}", Path("/drafts/refs.bib")).entries
    return only


def _name(author: str, draw: Random) -> str:
    given, _, family = author.partition(" ")
    return draw.choice(
        (
            author,
            f"{family}, {given}",
            f"{family}, {given[0]}.",
            f"{given[0]}. {family}",
            f"{family}, {given[0]}",
        )
    )


def _title(title: str, draw: Random) -> str:
    words = title.split()
    capital = " ".join(f"{{{word}}}" if draw.random() < 0.3 else word for word in words)
    return draw.choice(
        (title, title.title(), title.lower(), f"{{{title}}}", capital, title.partition(":")[0])
    )


def with_other_title(paper: Paper, other: Paper) -> Paper:
    return evolve(paper, title=other.title)


def with_other_number(paper: Paper, other: Paper) -> Paper:
    return evolve(paper, doi=other.doi)


def with_other_authors(paper: Paper, other: Paper) -> Paper:
    family = [name for name in FAMILY if name not in " ".join(paper.authors)]
    return evolve(paper, authors=tuple(f"Zoe {name}" for name in family[: len(paper.authors)]))


def with_other_year(paper: Paper, other: Paper) -> Paper:
    assert paper.year is not None
    return evolve(paper, year=paper.year + 4)


@pytest.mark.parametrize("seed", range(3))
def test_of_a_hundred_true_entries_none_is_contradicted(seed: int) -> None:
    draw = Random(seed)
    true = [as_preprint(paper) if draw.random() < 0.3 else paper for paper in papers(100)]
    assert [differences(written(paper, draw), paper) for paper in true] == [()] * 100


@pytest.mark.parametrize(
    ("alter", "claim", "least"),
    [
        (with_other_title, "title", 90),
        (with_other_authors, "authors", 95),
        (with_other_year, "year", 100),
    ],
)
def test_of_a_hundred_altered_entries_nearly_all_are(
    alter: Callable[[Paper, Paper], Paper], claim: str, least: int
) -> None:
    draw, known = Random(15), papers(101)
    contradicted = [
        [difference.claim for difference in differences(written(alter(paper, other), draw), paper)]
        for paper, other in zip(known, known[1:], strict=False)
    ]
    assert sum(claims == [claim] for claims in contradicted) >= least
