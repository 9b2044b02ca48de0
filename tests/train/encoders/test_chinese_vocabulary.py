"""The vocabulary of the student: words of texts, counted as it cuts them."""

from __future__ import annotations

from collections import Counter

from cite_lsp.train.encoders.chinese_vocabulary import choose_characters, choose_words, count_words


def test_words_that_texts_use_come_first_and_those_of_no_dictionary_must_be_frequent() -> None:
    counts = Counter({"潮汐": 3, "海鸥": 5, "深海鸥群": 2, "的": 90})
    words = choose_words(counts, {"沼泽", "潮汐", "海鸥"}, 3)
    assert words == ["海鸥", "潮汐", "沼泽"]
    assert "的" in choose_characters(counts)[:100]


def test_counting_sees_words_as_the_student_does() -> None:
    assert count_words(["潮汐和海鸥 BERT", "海鷗"]) == Counter({"海鸥": 2, "潮汐": 1, "和": 1})
