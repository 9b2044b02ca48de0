"""A corpus ranked by a method: the same order and reasons as in a library of its papers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.recommendation import Reason, Recommendation
from cite_lsp.recommend.corpus.recommender import CorpusRecommender
from cite_lsp.recommend.library.recommender import Recommender
from cite_lsp.recommend.published.methods import MethodChoice, Methods
from cite_lsp.search.indexing.build import build_corpus
from tests.recommend.shores import TopicEncoder

PAPERS = [
    Paper("tide", "Tide tide tide", authors=("Jo Smith",), year=2001),
    Paper("both", "Tide tide marsh", authors=("Ada Byron",), year=2003),
    Paper("marsh", "Marsh marsh marsh", authors=("Rosa Luz",), year=2011),
    Paper("gull", "Gull", authors=("Max Planck",), year=2012),
]
CONTEXT = Context(left="On the tide", right="", section_cited=("marsh",))
METHODS = Methods(MethodChoice(("two-phase",)))


def by_phase(item: Recommendation) -> list[Reason]:
    return [reason for reason in item.reasons if reason.kind.startswith("phase")]


@pytest.fixture
def ranking(tmp_path: Path) -> CorpusRecommender:
    corpus = build_corpus(tmp_path / "shores", PAPERS, TopicEncoder())
    return CorpusRecommender(corpus, TopicEncoder(), system="minilm", methods=METHODS)


def test_library_and_corpus_have_the_same_list_with_the_same_reasons(
    ranking: CorpusRecommender,
) -> None:
    pool = Pool(PAPERS)
    pool.embed(TopicEncoder())
    own = Recommender(pool, Encoders(TopicEncoder()), system=METHODS).recommend(CONTEXT)
    corpus = ranking.recommend(CONTEXT, cited=[ranking.corpus.row_of["marsh"]])
    assert [item.paper.id for item in own] == [item.paper.id for item in corpus]
    assert own[0].paper.id == "both" and own[0].method == corpus[0].method == "two-phase"
    for mine, theirs in zip(own, corpus, strict=True):
        reasons, same = by_phase(mine), by_phase(theirs)
        assert [(reason.kind, reason.papers) for reason in reasons] == [
            (reason.kind, reason.papers) for reason in same
        ]
        assert [reason.value for reason in reasons] == pytest.approx(
            [reason.value for reason in same], abs=0.01
        )


def test_a_context_that_no_method_reads_is_ranked_as_by_default(ranking: CorpusRecommender) -> None:
    chinese = Context(left="潮汐 tide 潮汐", right="", language="zh")
    by_default = [(paper.row, paper.score) for paper in ranking.rank(chinese, by_method=False)]
    assert [(paper.row, paper.score) for paper in ranking.rank(chinese)] == by_default


def test_only_allowed_papers_are_ranked(ranking: CorpusRecommender) -> None:
    allowed = np.array([False, True, False, True])
    ranked = ranking.rank(CONTEXT, allowed=allowed)
    assert {paper.row for paper in ranked} == {1, 3}
