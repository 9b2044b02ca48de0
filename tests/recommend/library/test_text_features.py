"""Words that a draft says everywhere count less at each place of it."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import Mention
from cite_lsp.recommend.library.text_features import HALF_WEIGHT_SHARE, downweighted, overused_words


def said(*texts: str) -> list[Mention]:
    return [
        Mention((f"k{number}",), text, "and so on", number, "0:0")
        for number, text in enumerate(texts)
    ]


MENTIONS = said(
    "the CAES plant",
    "CAES at Huntorf",
    "a CAES cavern",
    "储气库的CAES电站",
    "a salt cavern",
    "wind",
)


def test_a_word_is_overused_that_stands_beside_many_markers() -> None:
    overused = overused_words(MENTIONS)
    assert overused == {"caes": pytest.approx(4 / 6)}


def test_a_word_said_twice_beside_a_marker_stands_there_once() -> None:
    assert overused_words(said(*["wind and wind"] * 2, "wind", "rain")) == {}


def test_far_from_its_marker_a_word_says_nothing_of_it() -> None:
    assert overused_words(said(*["CAES" + " x" * 100] * 5)) == {}


def test_an_overused_word_counts_less_and_others_as_before() -> None:
    weights = downweighted({"caes": 2.0, "cavern": 1.0}, {"caes": HALF_WEIGHT_SHARE, "wind": 0.5})
    assert weights == {"caes": pytest.approx(1.0), "cavern": 1.0}


def test_without_markers_no_word_is_overused() -> None:
    assert overused_words([]) == {}
