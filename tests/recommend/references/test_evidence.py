"""Candidates for a whole draft, and the evidence of text, names and age for each."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_text import DraftText, SectionPassage, query_of
from cite_lsp.recommend.references.evidence import FEATURES, PLACE, DraftCandidates, gather
from tests.recommend.references.conftest import PAPERS, ROW
from tests.recommend.shores import TopicEncoder

TEXT = DraftText(
    "On the gull", "", (SectionPassage("Sand", "the dune and again the dune"),), year=2006
)


def value(candidates: DraftCandidates, paper: str, feature: str) -> float:
    (place,) = np.flatnonzero(candidates.rows == ROW[paper])
    return float(candidates.features[place, PLACE[feature]])


def gathered(
    source: LibraryPapers, text: DraftText = TEXT, cited: tuple[str, ...] = ()
) -> DraftCandidates:
    return gather(source, None, query_of(text, TopicEncoder(), [ROW[name] for name in cited]))


def test_what_is_cited_or_not_allowed_is_no_candidate(source: LibraryPapers) -> None:
    allowed = np.ones(len(PAPERS), dtype=bool)
    allowed[ROW["dune"]] = False
    query = query_of(TEXT, TopicEncoder(), [ROW["gull"]])
    rows = gather(source, None, query, allowed=allowed).rows.tolist()
    assert ROW["gull"] not in rows and ROW["dune"] not in rows and ROW["tide"] in rows


def test_summary_and_passages_are_compared_by_words_and_by_vectors(source: LibraryPapers) -> None:
    candidates = gathered(source)
    assert value(candidates, "gull", "summary_words") == 1.0
    assert value(candidates, "gull", "summary_cosine") > value(candidates, "tide", "summary_cosine")
    assert value(candidates, "dune", "passage_words") == 1.0
    assert value(candidates, "dune", "passage_cosine") > value(candidates, "dune", "summary_cosine")
    assert value(candidates, "gull", "passages") == pytest.approx(np.log(2))


def test_without_vectors_words_alone_tell(source: LibraryPapers) -> None:
    candidates = gather(LibraryPapers(Pool(PAPERS)), None, query_of(TEXT, None))
    assert set(candidates.rows.tolist()) == {ROW["gull"], ROW["dune"], ROW["survey"]}
    assert not candidates.features[:, PLACE["summary_cosine"]].any()


def test_papers_are_near_to_what_is_cited(source: LibraryPapers) -> None:
    candidates = gathered(source, cited=("marsh", "tide"))
    for feature in ("cited_words", "cited_cosine", "cited_nearest", "cited_centre"):
        assert value(candidates, "survey", feature) > value(candidates, "reed", feature)
    assert (
        value(candidates, "storm", "cited_nearest")
        > value(candidates, "storm", "cited_cosine") - 1e-6
    )
    assert value(candidates, "survey", "cited") == pytest.approx(np.log(3))


def test_authors_and_venues_that_are_cited_count(source: LibraryPapers) -> None:
    candidates = gathered(source, cited=("marsh", "tide"))
    assert value(candidates, "survey", "cited_authors") == pytest.approx(np.log(3))  # Moor, twice
    assert value(candidates, "survey", "cited_venue") == pytest.approx(np.log(3))
    assert (
        value(candidates, "storm", "cited_authors")
        == value(candidates, "storm", "cited_venue")
        == 0
    )


def test_papers_of_the_own_authors_and_those_named_in_the_text_count(
    source: LibraryPapers,
) -> None:
    text = DraftText("Tides", authors=("Ada Moor",), names=frozenset(("wind", "moor")))
    candidates = gathered(source, text)
    assert (
        value(candidates, "survey", "own_authors") > 0 == value(candidates, "storm", "own_authors")
    )
    assert value(candidates, "storm", "named") == 1.0 and value(candidates, "marsh", "named") == 0.5
    assert value(candidates, "gull", "named") == 0


def test_age_is_that_before_the_draft_and_compared_with_what_is_cited(
    source: LibraryPapers,
) -> None:
    candidates = gathered(source, cited=("tide",))
    assert value(candidates, "dune", "age") == pytest.approx(np.log(4))
    assert value(candidates, "dune", "cited_age_gap") == pytest.approx(np.log(17) - np.log(4))
    assert (value(candidates, "reed", "known_age"), value(candidates, "reed", "age")) == (0, 0)


def test_citations_are_evidence_where_they_are_known(
    source: LibraryPapers, graph: CitationGraph
) -> None:
    query = query_of(TEXT, TopicEncoder(), [ROW["marsh"]], graph)
    candidates = gather(source, graph, query)
    assert value(candidates, "tide", "together") > value(candidates, "gull", "together") > 0
    assert value(candidates, "tide", "linked") == 1.0
    assert candidates.features.shape == (len(candidates.rows), len(FEATURES))
    assert not gathered(source).features[:, PLACE["linked"]].any()


def test_gathering_ends_when_it_is_cancelled(source: LibraryPapers, graph: CitationGraph) -> None:
    query = query_of(TEXT, TopicEncoder(), [ROW["marsh"]], graph)
    calls = 0

    def cancelled() -> bool:
        nonlocal calls
        calls += 1
        return calls == last

    for last in range(1, 5):
        calls = 0
        with pytest.raises(Cancelled):
            gather(source, graph, query, cancelled=cancelled)
        assert calls == last
