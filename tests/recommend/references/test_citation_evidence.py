"""The evidence of who cites whom."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.references.citation_evidence import CitationEvidence
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_text import DraftText, query_of
from tests.recommend.references.conftest import CITES, PAPERS, ROW
from tests.recommend.shores import TopicEncoder

ALL = np.arange(len(PAPERS))


def evidence_of(
    source: LibraryPapers, graph: CitationGraph, text: DraftText, cited: tuple[str, ...] = ()
) -> CitationEvidence:
    query = query_of(text, TopicEncoder(), [ROW[name] for name in cited], graph)
    return CitationEvidence(source, graph, query, ALL, source.word_scores(query.summary))


def of(graph: CitationGraph, column: np.ndarray, paper: str) -> float:
    (place,) = graph.places_of(np.array([ROW[paper]]))
    return float(column[place])


@pytest.mark.parametrize(
    "name", ["near_votes", "near_sharp", "near_nearest", "near_mean", "feedback", "walk"]
)
def test_what_the_nearest_documents_cite_is_near(
    source: LibraryPapers, graph: CitationGraph, name: str
) -> None:
    evidence = evidence_of(source, graph, DraftText("Storm, marsh"))
    assert list(CITES)[evidence.near[0]] == "storm"
    columns = evidence.columns
    assert of(graph, columns[name], "tide") > of(graph, columns[name], "gull") > 0


def test_what_is_cited_beside_the_drafts_own_references_counts(
    source: LibraryPapers, graph: CitationGraph
) -> None:
    columns = evidence_of(source, graph, DraftText("Any"), ("marsh",)).columns
    for name in ("together", "together_damped", "coupled_votes"):
        assert of(graph, columns[name], "tide") > of(graph, columns[name], "gull"), name


def test_what_older_papers_of_the_same_authors_cite_counts(
    source: LibraryPapers, graph: CitationGraph
) -> None:
    columns = evidence_of(source, graph, DraftText("Any", authors=("Eo Wind",))).columns
    assert of(graph, columns["own_votes"], "tide") > 0 == of(graph, columns["own_votes"], "gull")
    nobody = evidence_of(source, graph, DraftText("Any", authors=("No One",))).columns
    assert not nobody["own_votes"].any()


def test_what_the_draft_cites_may_cite_others(source: LibraryPapers, graph: CitationGraph) -> None:
    columns = evidence_of(source, graph, DraftText("Any"), ("dune",)).columns
    assert of(graph, columns["cited_by_cited"], "gull") > 0
    assert of(graph, columns["cited_by_cited"], "tide") == 0


def test_documents_newer_than_the_draft_say_nothing(
    source: LibraryPapers, graph: CitationGraph
) -> None:
    columns = evidence_of(source, graph, DraftText("Tide, marsh", year=2003), ("marsh",)).columns
    assert of(graph, columns["citations"], "tide") == of(graph, columns["near_votes"], "tide") == 0
    assert of(graph, columns["citations"], "gull") > 0


def test_citations_of_the_last_years_are_recent(
    source: LibraryPapers, graph: CitationGraph
) -> None:
    columns = evidence_of(source, graph, DraftText("Any", year=2007)).columns
    assert of(graph, columns["recent"], "tide") == pytest.approx(np.log(2))
    assert of(graph, columns["citations"], "tide") == pytest.approx(np.log(3))


def test_a_paper_that_cites_the_same_shares_references(
    source: LibraryPapers, graph: CitationGraph
) -> None:
    evidence = evidence_of(source, graph, DraftText("Storm, marsh"), ("tide", "marsh"))
    rows = np.array([ROW["storm"], ROW["dune"], ROW["reed"]])
    storm, dune, reed = evidence.as_documents(rows)["cites_same"].tolist()
    assert storm > 0 == dune == reed
    storm, dune, reed = evidence.as_documents(rows)["cites_likely"].tolist()
    assert storm > dune and reed == 0
