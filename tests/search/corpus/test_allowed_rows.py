"""Which papers of a corpus filters allow: those that `Filters.allow` would, one by one."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.filters import Filters, allowed_rows
from cite_lsp.search.indexing.build import build_corpus
from tests.recommend.shores import TopicEncoder

PAPERS = [
    Paper(f"p{number}", f"Tide {number}", year=year, venue=venue, language=language)
    for number, (year, venue, language) in enumerate(
        product(
            (None, 1999, 2015), ("", "Findings of ACL", "Küste", "naacl 2015"), ("", "en", "zh")
        )
    )
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    folder: Path = tmp_path_factory.mktemp("corpus")
    return build_corpus(folder / "tides", PAPERS, TopicEncoder())


@pytest.mark.parametrize(
    "filters",
    [
        Filters(2000),
        Filters(None, 2000),
        Filters(1999, 1999),
        Filters(venues=("acl",)),
        Filters(venues=("kuste", "naacl")),
        Filters(languages=("en",)),
        Filters(2000, venues=("acl",), languages=("en", "zh")),
        Filters(3000, venues=("acl",)),
        Filters(venues=("gone",), languages=("fr",)),
    ],
)
def test_every_paper_within_the_bounds_is_allowed_and_no_other(
    corpus: CorpusIndex, filters: Filters
) -> None:
    allowed = allowed_rows(corpus, filters)
    assert allowed is not None
    assert allowed.tolist() == [filters.allow(paper) for paper in PAPERS]


def test_without_bounds_no_filter_is_sent(corpus: CorpusIndex) -> None:
    assert allowed_rows(corpus, Filters()) is None


def test_one_paper_of_a_venue_is_read(corpus: CorpusIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    paper = CorpusIndex.paper

    def counted(corpus: CorpusIndex, row: int) -> Paper:
        read.append(row)
        return paper(corpus, row)

    monkeypatch.setattr(CorpusIndex, "paper", counted)
    allowed_rows(corpus, Filters(2000, venues=("acl",)))
    assert len(read) == 4
