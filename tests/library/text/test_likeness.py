"""How alike strings are: as rapidfuzz says, whose measures these are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from cite_lsp.library.text.likeness import Likeness, words_ratio

TEXTS = st.text("abcdé引用 19", max_size=90)
SENTENCES = st.lists(st.sampled_from("of the gull gulls a terns 海鸥".split()), max_size=9).map(
    " ".join
)


@given(TEXTS, TEXTS)
def test_the_ratio_is_that_of_rapidfuzz(first: str, second: str) -> None:
    assert Likeness(first).ratio(second) == pytest.approx(fuzz.ratio(first, second))


@given(TEXTS, TEXTS, st.floats(0, 100))
def test_below_what_is_asked_for_it_is_nothing(first: str, second: str, least: float) -> None:
    ratio = Likeness(first).ratio(second)
    assert Likeness(first).ratio(second, least) == (ratio if ratio >= least else 0)


@given(SENTENCES | TEXTS, SENTENCES | TEXTS)
def test_the_ratio_of_words_is_that_of_rapidfuzz(first: str, second: str) -> None:
    assert words_ratio(first, second) == pytest.approx(fuzz.token_set_ratio(first, second))


def test_neither_order_nor_repetition_of_words_counts() -> None:
    assert words_ratio("gulls nest in colonies", "colonies in nest gulls gulls") == 100
    assert words_ratio("the nests of gulls", "the nests of terns") == 80
