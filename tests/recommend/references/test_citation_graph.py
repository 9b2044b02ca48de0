"""Who cites whom: votes of documents, shared references, and a walk along citations."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.recommend.references.citation_graph import CitationGraph, graph_of_lists

ALL = np.ones(3, dtype=np.float32)


@pytest.fixture
def graph() -> CitationGraph:
    """Documents 10, 11 and one that the corpus lacks; papers 1, 2, 3 and 10 are cited."""
    cited = [np.array([1, 2]), np.array([2, 3, 10, -1]), np.array([3])]
    return graph_of_lists(np.array([10, 11, -1]), np.array([2001, 2003, 2005]), cited)


def test_a_paper_has_the_votes_of_the_documents_that_cite_it(graph: CitationGraph) -> None:
    assert graph.rows.tolist() == [1, 2, 3, 10]
    assert graph.votes(np.array([1.0, 2.0, 4.0], dtype=np.float32)).tolist() == [1, 3, 6, 2]


def test_documents_share_what_they_cite_but_for_those_not_known(graph: CitationGraph) -> None:
    wanted = graph.places_of(np.array([2, 3]))
    assert graph.shared(wanted, ALL).tolist() == [1, 2, 1]
    assert graph.shared(wanted, np.array([1, 0, 1], dtype=np.float32)).tolist() == [1, 0, 1]


def test_a_row_that_nobody_cites_has_no_place(graph: CitationGraph) -> None:
    assert graph.places_of(np.array([3, 7])).tolist() == [2, -1]


def test_a_walk_stays_near_where_it_begins_and_goes_where_citations_lead(
    graph: CitationGraph,
) -> None:
    start = np.array([1, 0, 0, 0], dtype=np.float32)
    visits = graph.walk(start, np.zeros(3, dtype=np.float32), ALL)
    assert visits[0] > visits[1] > visits[2] > 0
    blocked = graph.walk(start, np.zeros(3, dtype=np.float32), np.array([1, 0, 1], np.float32))
    assert blocked[1] > 0 and blocked[2] == 0
    assert not graph.walk(0 * start, np.zeros(3, dtype=np.float32), ALL).any()
