"""Fitting how sure a paper found for a sentence is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cite_lsp.recommend.missing.confidence import SIGNS, Confidence
from cite_lsp.train.missing.missing_citations import (
    RankedSentence,
    fit,
    out_of_draft,
    write,
    write_card,
)
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.report import Figures, TrainingError

pytest.importorskip("sklearn")


def made_up(count: int = 300) -> list[RankedSentence]:
    """Return sentences for which a named method, and nothing else, makes a paper right."""
    rng = random.Random(13)
    named = SIGNS.index("method_named")
    sentences = []
    for number in range(count):
        signs = [[rng.gauss(0, 1) for _ in SIGNS] for _ in range(3)]
        for row in signs:
            row[named] = float(rng.random() < 0.3)
        right = tuple(rng.random() < (0.9 if row[named] else 0.1) for row in signs)
        draft = f"draft-{number % 6}"
        sentences.append(RankedSentence(draft, tuple(map(tuple, signs)), right))
    return sentences


def test_what_makes_papers_right_gets_the_weight() -> None:
    weights = dict(zip(SIGNS, fit(made_up()).weights, strict=True))
    assert weights["method_named"] > 2
    others = [abs(weight) for name, weight in weights.items() if name != "method_named"]
    assert max(others) < weights["method_named"] / 4


def test_a_sentence_is_judged_by_other_drafts() -> None:
    sentences = made_up()
    sure = out_of_draft(sentences)
    assert [len(sentence) for sentence in sure] == [len(sentence.signs) for sentence in sentences]
    pairs = [
        pair
        for ours, sentence in zip(sure, sentences, strict=True)
        for pair in zip(ours, sentence.right, strict=True)
    ]
    right, wrong = (
        [share for share, truth in pairs if truth is wanted] for wanted in (True, False)
    )
    assert sum(right) / len(right) > 0.6 > 0.3 > sum(wrong) / len(wrong)
    with pytest.raises(TrainingError, match="only 1 drafts"):
        out_of_draft([sentence for sentence in sentences if sentence.draft == "draft-0"])


def test_without_right_and_wrong_papers_nothing_is_learned() -> None:
    bare = [RankedSentence("d", ((0.0,) * len(SIGNS),), (False,))] * 5
    with pytest.raises(TrainingError, match="not both right and wrong"):
        fit(bare)


def test_what_is_written_is_read_again_and_has_a_card(tmp_path: Path) -> None:
    sentences = made_up(60)
    fitted = fit(sentences)
    config = write(tmp_path, fitted, sentences, seed=5)
    assert Confidence.read(tmp_path).weights == pytest.approx(fitted.weights, abs=1e-4)
    rows = {"careful": {"offers": 1234, "precision": 0.5, "recall": 0.1}}
    figures = [Figures(rows, title="English: 4,321 citations removed")]
    origin = Origin("made up", "cite-lsp train", "a.py")
    write_card(tmp_path, origin, config, figures)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "English: 4,321 citations removed" in card and "| careful | 1,234 | 0.500 |" in card
    assert "| method_named |" in card and "`config.json`" in card
