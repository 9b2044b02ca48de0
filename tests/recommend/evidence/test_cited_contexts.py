"""The words in which a corpus's papers are cited, encoded for queries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.recommend.evidence import corpus_citations
from cite_lsp.recommend.evidence.corpus_citations import (
    encode_contexts,
    encoded_contexts,
    with_own_references,
)
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.vectors.vector_index import SearchIndexError
from cite_lsp.storage.array_folder import places_in
from tests.recommend.evidence.test_corpus_citations import PAPERS, empty, quoting_corpus
from tests.recommend.shores import TopicEncoder, many_precedents


@pytest.fixture
def quoting(tmp_path: Path) -> CorpusIndex:
    return quoting_corpus(tmp_path / "shores")


def contexts_of(precedents: Precedents, paper: int) -> tuple[float, float, float]:
    """Return how many contexts a paper has, and its likeness to a place on gulls and the tide."""
    said = "the gull in fog and the tide"
    evidence = precedents.evidence(TopicEncoder().encode([said])[0], said)
    place = int(places_in(precedents.papers, np.array([title_key(PAPERS[paper])]))[0])
    columns = (evidence.contexts, evidence.alike, evidence.alike_words)
    return tuple(float(column[place]) for column in columns)  # type: ignore[return-value]


def test_papers_are_known_by_the_words_in_which_a_corpus_cites_them(quoting: CorpusIndex) -> None:
    base = many_precedents(PAPERS[:10], TopicEncoder())
    steps: list[tuple[int, int]] = []
    assert encode_contexts(quoting, TopicEncoder(), lambda *step: steps.append(step)) == 2
    assert steps == [(2, 2)]
    plain = with_own_references(base, quoting)
    assert plain.contexts == base.contexts
    both = with_own_references(base, quoting, "topics-1")
    assert both.contexts == base.contexts + 2
    contexts, alike, words = contexts_of(both, 20)
    assert contexts == 2 and alike > 0.7 and words > 0
    assert contexts_of(plain, 20) == (0.0, 0.0, 0.0)
    assert contexts_of(both, 3)[0] == contexts_of(plain, 3)[0] + 1
    assert title_key(PAPERS[36]) in both.documents  # one reference, but it is known in which words


def test_words_that_another_encoder_placed_do_not_count(quoting: CorpusIndex) -> None:
    encode_contexts(quoting, TopicEncoder("topics-0"))
    assert quoting.references is not None
    assert encoded_contexts(quoting.references, "topics-1") is None
    assert with_own_references(empty(), quoting, "topics-1").contexts == 0


def test_of_a_document_that_ships_with_its_words_none_stands_twice(quoting: CorpusIndex) -> None:
    shipped = many_precedents(PAPERS, TopicEncoder())
    assert title_key(PAPERS[31]) not in shipped.documents
    assert title_key(PAPERS[41]) in shipped.documents
    encode_contexts(quoting, TopicEncoder())
    both = with_own_references(shipped, quoting, "topics-1")
    assert both.contexts == shipped.contexts + 2
    again = with_own_references(both, quoting, "topics-1")
    assert again.contexts == both.contexts


def test_of_too_many_contexts_those_of_the_newest_papers_are_placed(
    quoting: CorpusIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_citations, "MOST_CONTEXTS", 1)
    assert encode_contexts(quoting, TopicEncoder()) == 1
    assert quoting.references is not None
    placed = encoded_contexts(quoting.references, "topics-1")
    newest = max((31, 36), key=lambda number: PAPERS[number].year or 0)
    assert placed is not None and placed.citing.tolist() == [quoting.row_of[PAPERS[newest].id]]


def test_damaged_contexts_are_reported_in_one_line(quoting: CorpusIndex) -> None:
    encode_contexts(quoting, TopicEncoder())
    assert quoting.references is not None
    (quoting.references.folder / corpus_citations.FILE).write_bytes(b"damaged")
    with pytest.raises(SearchIndexError, match="contexts of citations cannot be read"):
        encoded_contexts(quoting.references, "topics-1")
