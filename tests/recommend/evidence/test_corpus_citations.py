"""What a corpus's papers cite speaks for its papers, as precedents that ship do."""

from __future__ import annotations

import gc
from pathlib import Path
from weakref import ref

import numpy as np
import pytest
from numpy.typing import NDArray

from cite_lsp.corpus.citations import CitationContext, PaperCitations
from cite_lsp.recommend.corpus.candidates import Retrieval
from cite_lsp.recommend.corpus.features import FEATURE_PLACE
from cite_lsp.recommend.evidence import corpus_citations
from cite_lsp.recommend.evidence.corpus_citations import (
    citing_rows,
    encode_contexts,
    with_own_references,
)
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.corpus_references import References
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import update_corpus
from cite_lsp.search.vectors.vector_index import Rows
from tests.recommend.shores import TOPICS, TopicEncoder, encoded_query, many_papers, many_precedents

PAPERS = many_papers()
CITES = [
    PaperCitations(f"id {PAPERS[31].id}", tuple(f"id {PAPERS[n].id}" for n in (3, 21, 22))),
    PaperCitations(f"id {PAPERS[32].id}", (f"id {PAPERS[3].id}", f"id {PAPERS[22].id}")),
    PaperCitations(f"id {PAPERS[33].id}", (f"id {PAPERS[24].id}",)),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    folder = tmp_path_factory.mktemp("corpus") / "shores"
    return update_corpus(folder, Sources(["a"], lambda name: [*PAPERS, *CITES]), TopicEncoder())


def empty() -> Precedents:
    nowhere = np.zeros((0, len(TOPICS)), dtype=np.float32)
    return Precedents.build([], [], nowhere, checkpoint="topics-1")


def test_papers_cited_beside_what_the_section_cites_are_found_by_it(corpus: CorpusIndex) -> None:
    section = [corpus.row_of[PAPERS[3].id]]
    beside = corpus.row_of[PAPERS[22].id]
    plain = Retrieval(corpus, link_precedents(corpus, empty()))
    extended = with_own_references(empty(), corpus)
    rows, matrix = Retrieval(corpus, link_precedents(corpus, extended)).gather(
        encoded_query(), section=section
    )
    place = int(np.flatnonzero(rows == beside)[0])
    assert matrix[place, FEATURE_PLACE["together"]] > 0
    assert matrix[place, FEATURE_PLACE["citations"]] == pytest.approx(np.log1p(2))
    without, features = plain.gather(encoded_query(), section=section)
    others = features[without == beside][:, FEATURE_PLACE["together"]]
    assert not (others > 0).any()


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
    monkeypatch.setattr(corpus_citations, "MOST_CITATIONS", 4)
    assert citing_rows(references, years, np.zeros(0, dtype=np.int64)).tolist() == [newest]


SAID = [
    PaperCitations(
        f"id {PAPERS[31].id}",
        (f"id {PAPERS[20].id}", f"id {PAPERS[3].id}"),
        (CitationContext("the gull in fog", "and the tide"),),
    ),
    PaperCitations(
        f"id {PAPERS[36].id}", (f"id {PAPERS[20].id}",), (CitationContext("a dune of salt"),)
    ),
]


def quoting_corpus(folder: Path) -> CorpusIndex:
    """Build a corpus whose sources say in which words papers are cited."""
    return update_corpus(
        folder, Sources(["a"], lambda name: [*PAPERS, *CITES, *SAID]), TopicEncoder()
    )


@pytest.fixture
def quoting(tmp_path: Path) -> CorpusIndex:
    return quoting_corpus(tmp_path / "shores")


def test_what_a_corpus_cites_is_put_together_once_for_all_who_ask(
    quoting: CorpusIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[References] = []

    def counted(references: References, years: NDArray[np.int32], quoting: Rows) -> Rows:
        read.append(references)
        return citing_rows(references, years, quoting)

    monkeypatch.setattr(corpus_citations, "citing_rows", counted)
    shipped = many_precedents(PAPERS, TopicEncoder())
    both = with_own_references(shipped, quoting, "topics-1")
    assert with_own_references(shipped, quoting, "topics-1") is both
    assert len(read) == 1
    encode_contexts(quoting, TopicEncoder())
    assert with_own_references(shipped, quoting, "topics-1").contexts == shipped.contexts + 2
    assert with_own_references(shipped, quoting, "topics-0").contexts == shipped.contexts
    assert with_own_references(empty(), quoting, "topics-0").contexts == 0


def test_what_a_closed_corpus_cites_is_forgotten(quoting: CorpusIndex) -> None:
    opened = CorpusIndex(quoting.folder)
    both = ref(with_own_references(empty(), opened))
    assert both() is not None
    del opened
    gc.collect()
    assert both() is None


def test_a_corpus_without_citations_has_none_to_place(tmp_path: Path, corpus: CorpusIndex) -> None:
    plain = build_corpus(tmp_path / "shores", PAPERS, TopicEncoder())
    assert encode_contexts(plain, TopicEncoder()) == 0 == encode_contexts(corpus, TopicEncoder())
