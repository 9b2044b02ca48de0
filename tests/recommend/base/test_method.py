"""A corpus and a library, seen through the same methods."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.recommend.base.method import PaperSource
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.corpus.corpus_papers import CorpusPapers
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.search.words.query_words import query_words
from tests.recommend.references.conftest import PAPERS, ROW
from tests.recommend.shores import TopicEncoder


@pytest.fixture(params=["library", "corpus"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> PaperSource:
    if request.param == "library":
        pool = Pool(PAPERS)
        pool.embed(TopicEncoder())
        return LibraryPapers(pool)
    return CorpusPapers(build_corpus(tmp_path / "shores", PAPERS, TopicEncoder()))


def test_papers_years_and_vectors_are_found_by_row(either: PaperSource) -> None:
    assert len(either) == len(PAPERS) and either.has_vectors
    assert either.paper(ROW["storm"]).title == "A storm on the marsh"
    assert either.years.tolist() == [paper.year or 0 for paper in PAPERS]
    wanted = TopicEncoder().encode(["the reed"])[0]
    assert either.nearest(wanted, 2)[0] == ROW["reed"]
    others = np.arange(len(PAPERS)) != ROW["reed"]
    assert ROW["reed"] not in either.nearest(wanted, len(PAPERS), others)
    vector = either.vectors(np.array([ROW["reed"]]))[0]
    assert vector.argmax() == 4 and np.linalg.norm(vector) == pytest.approx(1.0, abs=0.02)


def test_papers_are_scored_by_their_words(either: PaperSource) -> None:
    scores = either.word_scores(query_words("a storm"))
    assert scores.argmax() == ROW["storm"] and scores[ROW["gull"]] == 0


def test_surnames_and_venues_are_compared_by_their_hashes(either: PaperSource) -> None:
    rows = np.array([ROW["tide"], ROW["marsh"], ROW["reed"]])
    authors = either.authors(rows)
    assert authors.starts.tolist() == [0, 1, 3, 4]
    assert authors.values[0] == authors.values[2] != authors.values[3]
    tide, marsh, reed = either.venues(rows).tolist()
    assert tide == marsh != 0 and reed == 0


def test_a_library_without_vectors_says_so() -> None:
    assert not LibraryPapers(Pool(PAPERS)).has_vectors
