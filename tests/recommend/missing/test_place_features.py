"""Where a sentence stands: the scores around it, its place, and what is new in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from cite_lsp.recommend.missing.passages import Passage
from cite_lsp.recommend.missing.place_features import PLACE_FEATURES, place_features


def column(name: str, passages: Sequence[Passage], words: Sequence[float]) -> list[float]:
    matrix = place_features(passages, words)
    assert matrix.shape == (len(passages), len(PLACE_FEATURES))
    values: list[float] = matrix[:, PLACE_FEATURES.index(name)].tolist()
    return values


def text(*titles: str) -> list[Passage]:
    return [Passage("A sentence.", section_title=title) for title in titles]


def test_the_scores_around_are_of_the_others_alone() -> None:
    around = column("words_around", text(*"aaa"), [1.0, 2.0, 6.0])
    assert around == [4.0, 3.5, 1.5]
    far = column("words_around", text(*"a" * 12), [*[0.0] * 11, 5.0])
    assert far[5] == 0.0 and far[6] == pytest.approx(0.5)


def test_the_greatest_of_a_few_before_and_after() -> None:
    words = [9.0, 1.0, 2.0, 3.0, 0.0]
    before, after = (column(f"words_{side}", text(*"aaaaa"), words) for side in ("before", "after"))
    assert np.isnan(before[0]) and before[1:] == [9.0, 9.0, 9.0, 3.0]
    assert after[:4] == [3.0, 3.0, 3.0, 0.0] and np.isnan(after[4])


def test_sections_have_means_places_and_lengths() -> None:
    passages = text(*"aab")
    assert column("words_in_section", passages, [1.0, 3.0, 7.0]) == [2.0, 2.0, 7.0]
    assert column("section_place", passages, [0.0] * 3) == [0.0, 0.5, 0.0]
    assert column("text_place", passages, [0.0] * 3) == pytest.approx([0.0, 1 / 3, 2 / 3])
    lengths = column("section_length", passages, [0.0] * 3)
    assert lengths[0] == lengths[1] > lengths[2]


def test_names_and_words_are_new_once() -> None:
    passages = [Passage("They follow Keynes on money."), Passage("Later, Keynes met Sraffa there.")]
    scores = [0.0, 0.0]
    assert column("names", passages, scores) == [1.0, 2.0]
    assert column("new_names", passages, scores) == [1.0, 1.0]
    assert column("new_words", passages, scores) == pytest.approx([1.0, 4 / 5])
    first, second = column("word_rarity", passages, scores)
    assert first > 0 and second > 0


def test_one_sentence_alone_has_nothing_around_it() -> None:
    (row,) = place_features(text("a"), [0.5])
    named = dict(zip(PLACE_FEATURES, row.tolist(), strict=True))
    assert all(np.isnan(named[f"words_{side}"]) for side in ("around", "before", "after"))
    assert named["words_in_text"] == 0.5
    assert place_features([], []).shape == (0, len(PLACE_FEATURES))
