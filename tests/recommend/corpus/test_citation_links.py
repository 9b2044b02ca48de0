"""What a paper cites and what cites it, as corpora know; which of that a library has."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from cite_lsp.corpus.citations import PaperCitations
from cite_lsp.library import Library, read_bibliography
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus.citation_links import CitationLinks, Direction, citation_links
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from tests.search.in_memory_sources import InMemorySources

P = [
    Paper(f"p{n}", f"A study of shore number {n}", authors=("Ada Moor",), year=2000 + n)
    for n in range(6)
]
CITATIONS = [
    PaperCitations("id p1", ("id p0",)),
    PaperCitations("id p2", ("id p0", "id p1")),
    PaperCitations("id p3", ("id p0",)),
    PaperCitations("id p4", ("id p1",)),
]


@pytest.fixture
def shores(tmp_path: Path) -> CorpusIndex:
    return InMemorySources(all=[*P, *CITATIONS]).index(tmp_path / "shores", "all")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    path = tmp_path / "refs.bib"
    path.write_text(
        "@article{moor0, title = {A Study of Shore Number 0}, author = {Moor, Ada}}\n"
        "@article{moor2, title = {A Study of Shore Number 2}, author = {Moor, Ada}}\n"
        "@article{gull, title = {Gulls}, author = {Moor, Ada}}\n"
    )
    return Library((read_bibliography(path),))


def linked(
    library: Library, direction: Direction, key: str = "moor0", **indexes: CorpusIndex
) -> CitationLinks | None:
    entry = library.get(key)
    assert entry is not None
    return citation_links(indexes, library, entry, direction)


def test_those_that_cite_a_paper_are_counted_and_those_of_the_library_come_first(
    library: Library, shores: CorpusIndex
) -> None:
    links = linked(library, "citedBy", shores=shores)
    assert links is not None and (len(links), links.in_library) == (3, 1)
    assert [(name, paper.id) for name, paper in links.papers(9)] == [
        ("shores", "p2"),
        ("shores", "p3"),
        ("shores", "p1"),
    ]
    assert [paper.id for _, paper in links.papers(1)] == ["p2"]


def test_those_that_a_paper_cites_are_found_as_well(library: Library, shores: CorpusIndex) -> None:
    links = linked(library, "citing", "moor2", shores=shores)
    assert links is not None and (len(links), links.in_library) == (2, 1)
    assert [paper.id for _, paper in links.papers(9)] == ["p0", "p1"]


def test_a_paper_that_two_corpora_have_counts_once(
    library: Library, shores: CorpusIndex, tmp_path: Path
) -> None:
    again = [evolve(paper, id=f"x{paper.id}") for paper in P]
    citations = [PaperCitations("id xp3", ("id xp0",)), PaperCitations("id xp5", ("id xp0",))]
    more = InMemorySources(all=[*again, *citations]).index(tmp_path / "more", "all")
    links = linked(library, "citedBy", shores=shores, more=more)
    assert links is not None and len(links) == 4
    assert {paper.id for _, paper in links.papers(9)} == {"p1", "p2", "p3", "xp5"}


def test_what_no_corpus_knows_is_told_apart_from_what_nobody_cites(
    library: Library, shores: CorpusIndex, tmp_path: Path
) -> None:
    bare = InMemorySources(all=P).index(tmp_path / "bare", "all")
    assert linked(library, "citedBy", "gull", shores=shores) is None
    assert linked(library, "citedBy", bare=bare) is None
    nobody = linked(library, "citing", shores=shores)
    assert nobody is not None and len(nobody) == 0
