"""What speaks for a paper at a sentence, and how it is weighed."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.base.recommendation import Reason, Recommendation
from cite_lsp.recommend.missing.confidence import (
    SIGNS,
    Confidence,
    product_of,
    shipped_confidence,
    signs_of,
)


def paper(key: str, title: str = "", author: str = "", score: float = 0.3) -> Recommendation:
    return Recommendation(Paper(key, title, authors=(author,) if author else ()), score)


def signs(
    sentence: str, *recommendations: Recommendation, times: int = 1, **match: float
) -> list[dict[str, float]]:
    rows = signs_of(Context("", "", sentence), 0.5, recommendations, match, lambda word: times)
    return [dict(zip(SIGNS, row, strict=True)) for row in rows]


def test_a_name_in_the_sentence_is_a_sign() -> None:
    bert = paper("a", "BERT: Pre-training of Transformers", "Devlin, Jacob")
    (row,) = signs("We take BERT as it is.", bert)
    assert (row["method_named"], row["people_named"]) == (1.0, 0.0)
    (row,) = signs("We go on from Devlin's model.", bert)
    assert (row["method_named"], row["people_named"]) == (0.0, 1.0)
    (row,) = signs("We take RoBERTa and SciBERT.", bert)
    assert (row["method_named"], row["people_named"]) == (0.0, 0.0)


def test_a_name_in_chinese_prose_needs_no_blanks() -> None:
    (row,) = signs("我们使用BERT模型，李明指出。", paper("a", "BERT: Deep Models", "李明"))
    assert (row["method_named"], row["people_named"]) == (1.0, 1.0)


def test_a_name_that_stands_everywhere_says_little() -> None:
    bert = paper("a", "BERT: Pre-training of Transformers")
    (once,), (often,) = (signs("We take BERT.", bert, times=count) for count in (1, 25))
    assert (once["method_named"], often["method_named"]) == (1.0, 0.2)


def test_a_greater_score_is_a_greater_sign() -> None:
    first, second = signs("A.", paper("a", score=0.4), paper("b", score=0.2))
    assert second["score"] < first["score"] < 0
    assert first["worthiness"] == second["worthiness"] == 0


def test_reasons_and_titles_count() -> None:
    reasons = (Reason("words", 9.0), Reason("sentence", 0.6), Reason("cited-elsewhere", 2.0))
    row, bare = signs(
        "A.", Recommendation(Paper("a", "T"), 0.3, reasons=reasons), paper("b"), a=3.0
    )
    assert (row["title_words"], row["similarity"]) == (4.0, 0.6)
    assert row["cited_elsewhere"] > 0 and row["title_match"] > bare["title_match"] == 0


@pytest.mark.parametrize("kind", ["cited-here", "cited-elsewhere"])
def test_how_often_a_paper_is_cited_counts_up_to_ten_times(kind: str) -> None:
    def cited(times: float) -> float:
        recommendation = Recommendation(Paper("a", "T"), 0.3, reasons=(Reason(kind, times),))
        return signs("Terns nest.", recommendation)[0]["cited_elsewhere"]

    assert cited(1) == pytest.approx(math.log(2))
    assert cited(1) < cited(9) < cited(10) == cited(40)


def test_impossible_and_certain_are_no_infinities() -> None:
    rows = signs_of(Context("", ""), 0.0, [paper("a", score=1.0), paper("b", score=0.0)], {}, len)
    assert all(0 <= shipped_confidence()(row) <= 1 for row in rows)
    assert product_of(rows[0]) < 0.01


def test_what_ships_takes_each_model_at_its_word() -> None:
    weights = dict(zip(SIGNS, shipped_confidence().weights, strict=True))
    assert all(weights[name] > 0 for name in ("worthiness", "score", "method_named"))


def test_weights_that_cannot_be_used_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(RankerError, match="reinstall cite-lsp"):
        Confidence.read(tmp_path)
    config = {"signs": ["worthiness"], "weights": {"worthiness": 1}, "bias": 0}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(RankerError, match="cite-lsp train missing-citations"):
        Confidence.read(tmp_path)
