"""Recommendations from a corpus: both phases, who may be recommended, and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus import recommender as corpus_recommender
from cite_lsp.recommend.corpus.recommender import CORPUS_SYSTEMS, CorpusRecommender, CorpusSystem
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.build import build_corpus
from tests.recommend.shores import TopicEncoder

PAPERS = [
    Paper("tide-1", "Tide tables of the north", year=2001),
    Paper("tide-2", "A tide gauge", "On measuring a tide.", year=2005),
    Paper("marsh-1", "Marsh plants and silt", year=2003),
    Paper("marsh-2", "Silt budgets of a marsh", "Marsh and marsh again.", year=2008),
    Paper("gull-1", "Nests of the gull", year=2010),
    Paper("dune-1", "Walking the dune", year=2011),
]
CONTEXT = Context(left="Predicting the tide is old, as tables show", right="and gauges confirm.")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    return build_corpus(tmp_path_factory.mktemp("corpus") / "shores", PAPERS, TopicEncoder())


@pytest.fixture(autouse=True)
def nothing_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ships was trained with another encoder (test_second_stage.py has the one it fits)."""
    monkeypatch.setattr(corpus_recommender, "shipped_second_stage", lambda *given: None)


def ids(corpus: CorpusIndex, rows: Sequence[int]) -> list[str]:
    return [corpus.paper(row).id for row in rows]


@pytest.mark.parametrize("system", CORPUS_SYSTEMS)
@pytest.mark.parametrize("dense", [True, False])
def test_what_the_context_is_about_comes_first(
    corpus: CorpusIndex, system: CorpusSystem, dense: bool
) -> None:
    recommender = CorpusRecommender(corpus, TopicEncoder() if dense else None, system=system)
    candidates = recommender.rank(CONTEXT)
    assert set(ids(corpus, [candidate.row for candidate in candidates[:2]])) == {"tide-1", "tide-2"}
    scores = [candidate.score for candidate in candidates]
    assert scores == sorted(scores, reverse=True)
    assert len({candidate.row for candidate in candidates}) == len(candidates)


@pytest.mark.parametrize("system", CORPUS_SYSTEMS)
def test_papers_that_are_not_allowed_are_never_ranked(
    corpus: CorpusIndex, system: CorpusSystem
) -> None:
    allowed = corpus.years <= 2004
    candidates = CorpusRecommender(corpus, TopicEncoder(), system=system).rank(
        CONTEXT, allowed=allowed
    )
    assert candidates
    assert all(allowed[candidate.row] for candidate in candidates)


def test_the_few_that_are_allowed_are_found_however_far_they_are(
    corpus: CorpusIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_recommender, "RETRIEVED_DENSE", 2)
    allowed = np.isin(np.arange(len(corpus)), [corpus.row_of["dune-1"], corpus.row_of["gull-1"]])
    recommender = CorpusRecommender(corpus, TopicEncoder(), system="minilm")
    candidates = recommender.rank(Context(left="Tide and tide and dune", right=""), allowed=allowed)
    assert ids(corpus, [candidate.row for candidate in candidates]) == ["dune-1", "gull-1"]


MIXED = Context(left="Tide and marsh and tide", right="")


@pytest.mark.parametrize("system", ["fused", "default"])
def test_the_fusion_adds_most_to_the_paper_nearest_to_those_cited(
    corpus: CorpusIndex, system: CorpusSystem
) -> None:
    recommender = CorpusRecommender(corpus, TopicEncoder(), system=system)
    marsh = [corpus.row_of["marsh-1"], corpus.row_of["marsh-2"]]
    cold = {item.row: item.score for item in recommender.rank(MIXED)}
    gains = {
        item.row: item.score - cold[item.row] for item in recommender.rank(MIXED, cited=marsh[:1])
    }
    assert max(gains, key=gains.__getitem__) == marsh[1]


def test_phase_2_compares_no_paper_with_itself(corpus: CorpusIndex) -> None:
    recommender = CorpusRecommender(corpus, TopicEncoder(), system="fused")
    gull = corpus.row_of["gull-1"]
    result = {item.row: item for item in recommender.rank(CONTEXT, cited=[gull])}
    assert result[gull].nearest == 0.0


def test_a_cited_paper_that_is_no_candidate_still_draws_its_kin(corpus: CorpusIndex) -> None:
    allowed = np.ones(len(corpus), dtype=bool)
    allowed[corpus.row_of["dune-1"]] = False
    recommender = CorpusRecommender(corpus, TopicEncoder(), system="fused")
    context = Context(left="dune", right="")
    candidates = recommender.rank(context, allowed=allowed, cited=[corpus.row_of["dune-1"]])
    assert corpus.row_of["dune-1"] not in [item.row for item in candidates]
    assert all(item.nearest == item.nearest for item in candidates)


def test_no_more_than_the_limit_are_ranked(corpus: CorpusIndex) -> None:
    assert len(CorpusRecommender(corpus, TopicEncoder()).rank(CONTEXT, limit=3)) == 3


def test_words_that_no_paper_has_find_nothing_by_words(corpus: CorpusIndex) -> None:
    context = Context(left="xylophone", right="")
    assert CorpusRecommender(corpus, None).rank(context, cited=[0]) == []


def test_recommendations_say_why(corpus: CorpusIndex) -> None:
    recommendations = CorpusRecommender(corpus, TopicEncoder()).recommend(CONTEXT)
    by_key = {
        item.key: {reason.kind: reason for reason in item.reasons} for item in recommendations
    }
    assert by_key["tide-1"]["sentence"].value == pytest.approx(1.0, abs=0.01)
    assert {"Tide", "tables"} <= set(by_key["tide-1"]["words"].words)
    assert by_key["gull-1"] == {}
    lexical = CorpusRecommender(corpus, None).recommend(CONTEXT, limit=1)
    assert [reason.kind for reason in lexical[0].reasons] == ["words"]


@pytest.mark.parametrize("system", CORPUS_SYSTEMS)
def test_the_default_without_what_it_learned_is_the_fusion(
    corpus: CorpusIndex, system: CorpusSystem
) -> None:
    result, fused = (
        CorpusRecommender(corpus, TopicEncoder(), system=each).rank(CONTEXT, cited=[2])
        for each in (system, "fused")
    )
    same = [(ranked.row, ranked.score) for ranked in result] == [
        (candidate.row, candidate.score) for candidate in fused
    ]
    assert same == (system in ("fused", "default"))


@pytest.mark.parametrize("system", CORPUS_SYSTEMS)
def test_a_cancelled_request_is_given_up(corpus: CorpusIndex, system: CorpusSystem) -> None:
    with pytest.raises(Cancelled):
        CorpusRecommender(corpus, TopicEncoder(), system=system).rank(
            CONTEXT, cancelled=lambda: True
        )
