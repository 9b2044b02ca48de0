"""Papers in a file, read again by their numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.corpus.stored_papers import StoredPapers, paper_line, paper_of, write_papers
from cite_lsp.paper import Paper

PAPERS = (
    Paper("a", "Tides", "How they come and go", ("Ada Moor",), 2001),
    Paper("b", 'The "spring" tide \\ and its \n neighbours', 'a "title": "of" its own'),
    Paper("", "海岸的潮汐"),
    Paper("d", "", 'no title, "title": "but an abstract"'),
    Paper('"title": "e"', "An odd name"),
    Paper("f", "Tides", authors=("Ada Moor",), more_authors=True),
)


@pytest.fixture
def stored(tmp_path: Path) -> StoredPapers:
    path = tmp_path / "papers.jsonl"
    ends = [end for end, _ in write_papers(path, PAPERS)]
    return StoredPapers(path, np.array([0, *ends], dtype=np.int64))


def test_papers_are_read_as_they_were_written(stored: StoredPapers) -> None:
    assert tuple(stored) == PAPERS


def test_a_title_is_read_without_the_rest(
    stored: StoredPapers, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: list[bytes] = []

    def counted(line: bytes) -> Paper:
        whole.append(line)
        return paper_of(line)

    monkeypatch.setattr("cite_lsp.corpus.stored_papers.paper_of", counted)
    titles = [stored.title(row) for row in range(len(stored))]
    assert titles == [paper.title for paper in PAPERS]
    assert whole == []


def test_a_title_is_found_wherever_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "papers.jsonl"
    line = b'{"abstract": "x", "title": "Tides", "id": "a"}\n'
    path.write_bytes(line)
    assert StoredPapers(path, np.array([0, len(line)])).title(0) == "Tides"


def test_papers_of_a_language_are_found_whatever_their_texts_hold(tmp_path: Path) -> None:
    papers = (
        Paper(
            "a", 'A "language": "zh" among', '{"language": "zh"}', ("language", "zh"), venue="zh"
        ),
        Paper("b", "海岸的潮汐", language="zh"),
        Paper("c", "Tides", language="en"),
        Paper("d", "Marées", language="zho"),
        Paper("e", "Tides", language="é?"),
        Paper("f", "潮", language="zh", kind="book"),
    )
    path = tmp_path / "papers.jsonl"
    ends = [end for end, _ in write_papers(path, papers)]
    stored = StoredPapers(path, np.array([0, *ends], dtype=np.int64))
    for codes in (("zh",), ("en", "zh"), ("é?",), ("fr",), ("z.",)):
        expected = [paper.language in codes for paper in papers]
        assert stored.in_languages(codes).tolist() == expected, codes


def test_more_authors_are_written_as_every_version_reads_them() -> None:
    line = paper_line(Paper("a", "Tides", authors=("Ada Moor",), more_authors=True))
    assert json.loads(line) == {"id": "a", "title": "Tides", "authors": ["Ada Moor", "others"]}


def test_a_doi_is_kept_as_it_is_written() -> None:
    paper = Paper("a", "Tides", doi="10.1000/x", written_doi="10.1000/X")
    assert json.loads(paper_line(paper)) == {"id": "a", "title": "Tides", "doi": "10.1000/X"}
    read = paper_of(paper_line(paper))
    assert (read.doi, read.written_doi) == ("10.1000/x", "10.1000/X")
