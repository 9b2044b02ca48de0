"""What a corpus's papers cite speaks for its papers, as precedents that ship do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.corpus.citations import Cites
from cite_lsp.recommend import own_references
from cite_lsp.recommend.corpus_features import FEATURE_PLACE
from cite_lsp.recommend.own_references import citing_rows, with_own_references
from cite_lsp.recommend.precedents import Precedents
from cite_lsp.recommend.second_stage import Retrieval
from cite_lsp.search.corpus_index import CorpusIndex, build_corpus
from cite_lsp.search.corpus_update import update_corpus
from cite_lsp.search.paper_columns import title_key
from tests.recommend.shores import TOPICS, TopicEncoder, many_papers, many_precedents
from tests.recommend.test_second_stage import asked_by

PAPERS = many_papers()
CITES = [
    Cites(f"id {PAPERS[31].id}", tuple(f"id {PAPERS[n].id}" for n in (3, 21, 22))),
    Cites(f"id {PAPERS[32].id}", (f"id {PAPERS[3].id}", f"id {PAPERS[22].id}")),
    Cites(f"id {PAPERS[33].id}", (f"id {PAPERS[24].id}",)),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    folder = tmp_path_factory.mktemp("corpus") / "shores"
    return update_corpus(folder, ["a"], lambda name: [*PAPERS, *CITES], TopicEncoder())


def empty() -> Precedents:
    nowhere = np.zeros((0, len(TOPICS)), dtype=np.float32)
    return Precedents.build([], [], nowhere, checkpoint="topics-1")


def test_papers_cited_beside_what_the_section_cites_are_found_by_it(corpus: CorpusIndex) -> None:
    section = [corpus.row_of[PAPERS[3].id]]
    beside = corpus.row_of[PAPERS[22].id]
    plain = Retrieval(corpus, empty())
    rows, matrix = Retrieval(corpus, with_own_references(empty(), corpus)).gather(
        asked_by(), section=section
    )
    place = int(np.flatnonzero(rows == beside)[0])
    assert matrix[place, FEATURE_PLACE["together"]] > 0
    assert matrix[place, FEATURE_PLACE["citations"]] == pytest.approx(np.log1p(2))
    without, features = plain.gather(asked_by(), section=section)
    known = features[without == beside][:, FEATURE_PLACE["together"]]
    assert not (known > 0).any()


def test_precedents_that_ship_stay_and_a_document_in_both_counts_once(corpus: CorpusIndex) -> None:
    shipped = many_precedents(PAPERS, TopicEncoder())
    both = with_own_references(shipped, corpus)
    assert set(shipped.papers.tolist()) <= set(both.papers.tolist())
    assert both.contexts == shipped.contexts
    assert len(both.documents) == len(shipped.documents) + 2  # one reference alone says nothing
    again = with_own_references(both, corpus)
    assert len(again.documents) == len(both.documents)
    assert title_key(PAPERS[31]) in both.documents


def test_a_corpus_whose_sources_say_nothing_changes_nothing(tmp_path: Path) -> None:
    corpus = build_corpus(tmp_path / "shores", PAPERS, TopicEncoder())
    shipped = many_precedents(PAPERS, TopicEncoder())
    assert with_own_references(shipped, corpus) is shipped


def test_of_a_large_graph_the_newest_papers_are_looked_at(
    corpus: CorpusIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    references = corpus.references
    assert references is not None
    years = np.zeros(len(corpus), dtype=np.int32)
    newest = corpus.row_of[PAPERS[32].id]
    years[newest] = 2020
    monkeypatch.setattr(own_references, "MOST_CITATIONS", 4)
    assert citing_rows(references, years).tolist() == [newest]
