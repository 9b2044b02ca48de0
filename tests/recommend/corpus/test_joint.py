"""Papers of several corpora in one list."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Reason, Recommendation
from cite_lsp.recommend.corpus.joint import joint
from cite_lsp.recommend.corpus.ranking import probabilities


def ranked(corpus: str, logits: Sequence[float]) -> list[Recommendation]:
    scores = probabilities(np.array(logits, dtype=np.float32)).tolist()
    return [
        Recommendation(Paper(f"{corpus}{number}", "T"), score, logit=logit)
        for number, (logit, score) in enumerate(zip(logits, scores, strict=True))
    ]


@pytest.mark.parametrize(
    "corpora",
    [
        ([5.0, 4.0, 1.0], [3.0, 2.5]),
        ([1.0, 0.0], [0.5, -3.0], [-2.0]),
        ([4.0, 3.5], [0.5, 0.0], []),
    ],
)
def test_papers_stand_where_they_would_in_one_corpus(corpora: Sequence[list[float]]) -> None:
    (papers,) = (ranked for ranked in joint(ranked(str(n), own) for n, own in enumerate(corpora))
                 if ranked)  # fmt: skip
    logits = sorted((logit for own in corpora for logit in own), reverse=True)
    assert [paper.logit for paper in papers] == logits
    expected = probabilities(np.array(logits, dtype=np.float32))
    assert [paper.score for paper in papers] == pytest.approx(expected.tolist(), rel=1e-3)


def test_what_matches_what_is_typed_alone_comes_behind_all_that_is_ranked() -> None:
    typed = Recommendation(Paper("typed", "T"), 0.0)
    (papers,) = joint([[*ranked("a", [2.0]), typed], ranked("b", [-4.0])])
    assert [paper.paper.id for paper in papers] == ["a0", "b0", "typed"]


def test_lists_that_do_not_compare_stay_as_they_are() -> None:
    other = [Recommendation(Paper("o", "T"), 0.9)]
    alone = ranked("a", [2.0, 1.0])
    assert joint([other, alone]) == [other, alone]
    papers, rest = joint([alone, other, ranked("b", [1.5])])
    assert [paper.paper.id for paper in papers] == ["a0", "b0", "a1"]
    assert rest == other and math.isnan(rest[0].logit)


def by_method(corpus: str, scores: Sequence[float], kind: str = "phase-1") -> list[Recommendation]:
    return [
        Recommendation(
            Paper(f"{corpus}{number}", "T"),
            score,
            reasons=(Reason(kind, score),),
            corpus=corpus,
            method="two-phase",
        )
        for number, score in enumerate(scores)
    ]


def test_papers_that_one_method_ranks_stand_by_its_scores() -> None:
    typed = Recommendation(Paper("typed", "T"), 0.0)
    lists = [[*by_method("a", [0.9, 0.8, -0.2]), typed], by_method("b", [0.3, 0.2])]
    (papers,) = joint(lists, {"a": "x", "b": "x"})
    assert [paper.paper.id for paper in papers] == ["a0", "a1", "b0", "b1", "a2", "typed"]
    assert [paper.score for paper in papers[:3]] == [0.9, 0.8, 0.3]


def test_scores_of_other_vectors_or_of_another_phase_do_not_compare() -> None:
    near, far = by_method("a", [0.9, 0.8]), by_method("b", [0.3])
    assert joint([near, far], {"a": "x", "b": "y"}) == [near, far]
    second = by_method("b", [0.3], "phase-2")
    assert joint([near, second], {"a": "x", "b": "x"}) == [near, second]
