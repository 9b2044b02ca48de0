"""BLSRec over a library and a corpus: English papers for Chinese text, by the models that ship."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.published import cross_language
from cite_lsp.recommend.published.cross_language import CrossLanguage
from tests.recommend.shores import TopicEncoder

PAPERS = [
    Paper("gulls", "Nesting Habits of the Herring Gull"),
    Paper("translation", "Neural Machine Translation by Attention"),
    Paper("detection", "Object Detection with Convolutional Networks"),
]
CONTEXT = Context(left="近年来，神经机器翻译取得了很大进展", right="。", language="zh")


@pytest.fixture
def papers() -> LibraryPapers:
    pool = Pool(PAPERS)
    pool.embed(TopicEncoder())
    return LibraryPapers(pool)


@pytest.mark.parametrize("variant", [2, 3])
def test_the_paper_that_a_chinese_sentence_speaks_of_comes_first(
    papers: LibraryPapers, variant: int
) -> None:
    ranked = CrossLanguage(variant).rank(CONTEXT, papers, TopicEncoder(), limit=2)
    assert PAPERS[ranked[0].row].id == "translation" and len(ranked) == 2
    assert [reason.kind for reason in ranked[0].reasons] == ["blsrec"]


def test_each_variant_has_scores_of_its_own(papers: LibraryPapers) -> None:
    context = Context(CONTEXT.left, "。", abstract="本文研究目标检测。", language="zh")
    scores = {
        tuple(
            paper.score
            for paper in CrossLanguage(variant).rank(context, papers, TopicEncoder(), limit=3)
        )
        for variant in (1, 2, 3)
    }
    assert len(scores) == 3


def test_only_allowed_papers_are_ranked(papers: LibraryPapers) -> None:
    allowed = np.array([True, False, True])
    ranked = CrossLanguage(2).rank(CONTEXT, papers, TopicEncoder(), limit=3, allowed=allowed)
    assert {paper.row for paper in ranked} == {0, 2}


def test_of_many_papers_those_near_by_the_encoder_are_ordered(
    papers: LibraryPapers, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = CrossLanguage(2).rank(CONTEXT, papers, TopicEncoder(), limit=3)
    monkeypatch.setattr(cross_language, "EVERY", 2)
    assert CrossLanguage(2).rank(CONTEXT, papers, TopicEncoder(), limit=3)[0].row == every[0].row
    monkeypatch.setattr(cross_language, "CANDIDATES", 1)
    assert len(CrossLanguage(2).rank(CONTEXT, papers, TopicEncoder(), limit=3)) == 1
