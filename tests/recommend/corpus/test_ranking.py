"""Why a paper of a corpus is recommended."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.manuscript import Context
from cite_lsp.recommend.corpus.recommender import CorpusRecommender
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.build import build_corpus
from tests.recommend.evidence.test_draft_precedents import PAPERS, draft
from tests.recommend.shores import TopicEncoder


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    return build_corpus(tmp_path_factory.mktemp("corpus") / "shores", PAPERS, TopicEncoder())


def test_that_another_draft_cites_a_paper_of_a_corpus_is_a_reason(corpus: CorpusIndex) -> None:
    recommender = CorpusRecommender(corpus, TopicEncoder(), system="fused", drafts=[draft(20, 41)])
    context = Context("the gull and the tide", "")

    def words_by_paper(root: Path | None) -> dict[str, tuple[str, ...]]:
        recommendations = recommender.recommend(context, limit=len(PAPERS), draft=root)
        return {
            recommendation.paper.id: reason.words
            for recommendation in recommendations
            for reason in recommendation.reasons
            if reason.kind == "other-draft"
        }

    assert words_by_paper(None) == {"p20": ("A draft on gulls",), "p41": ("A draft on gulls",)}
    assert words_by_paper(Path("draft.tex")) == {}


def test_that_only_another_version_of_the_draft_cites_it_is_none(corpus: CorpusIndex) -> None:
    versions = [draft(20, 41), draft(20, 30, root=Path("before.tex"))]
    recommender = CorpusRecommender(corpus, TopicEncoder(), system="fused", drafts=versions)
    recommendations = recommender.recommend(
        Context("the gull and the tide", ""), limit=len(PAPERS), draft=Path("draft.tex")
    )
    assert not [
        reason
        for recommendation in recommendations
        for reason in recommendation.reasons
        if reason.kind == "other-draft"
    ]
