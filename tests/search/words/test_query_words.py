"""What a text asks for by words, across languages."""

import math

import pytest

from cite_lsp.search.words.query_words import (
    HAN_PAIR,
    close_words,
    faded_words,
    fading_words,
    query_words,
    short_forms,
    words_with_translations,
)
from cite_lsp.search.words.word_index import WordIndex
from cite_lsp.translate.lexicon import Lexicon, Sense
from cite_lsp.translate.translator import DictionaryTranslator

KNOWN = DictionaryTranslator(
    Lexicon.of(
        {
            "检测": [Sense("detection", 0.6), Sense("object detection", 0.2)],
            "注意力": [Sense("attention", 0.9)],
        }
    )
)


def test_an_english_text_asks_for_its_words_as_often_as_they_stand_there() -> None:
    assert query_words("Graphs and graphs of words") == {"graph": 2, "word": 1}
    assert faded_words("graphs of", "words and graphs") == {"graph": 2, "word": 1}


def test_a_chinese_word_asks_for_what_it_may_mean_by_how_likely_that_is() -> None:
    weights = query_words("检测", KNOWN)
    assert weights["detection"] == pytest.approx(4 * weights["object"])
    assert weights["检测"] == HAN_PAIR


def test_a_latin_word_of_a_chinese_text_asks_for_itself_and_counts_more() -> None:
    weights = query_words("Vaswani的注意力", KNOWN)
    assert weights["vaswani"] == 1.0 > weights["attention"]


def test_function_words_ask_for_nothing_in_english() -> None:
    assert not any(word.isascii() for word in query_words("我们提出了", KNOWN))


def test_words_next_to_the_marker_of_a_chinese_text_count_most() -> None:
    weights = faded_words("Alpha" + "方法" * 20 + "Beta", "Gamma" + "方法" * 20 + "Delta")
    assert weights["beta"] == weights["gamma"] == 1.0
    assert weights["alpha"] == weights["delta"] < 0.5


def test_a_chinese_sentence_in_an_english_draft_is_translated_all_the_same() -> None:
    weights = query_words("We use 注意力 here", KNOWN)
    assert weights["attention"] > 0 and weights["use"] == 1.0


def test_what_a_text_says_holds_likely_translations_alone() -> None:
    said = words_with_translations("基于注意力机制")
    assert "attention" in said
    assert words_with_translations("Graphs of words") == {"graph", "word"}


def test_a_chinese_query_finds_english_and_chinese_papers_in_one_list() -> None:
    index = WordIndex.build(["Attention is all you need", "注意力机制综述", "Sediment transport"])
    scores = index.scores(query_words("注意力机制"))
    assert scores[0] > 0 and scores[1] > 0 and scores[2] == 0


def test_weights_count_as_repeated_words_do() -> None:
    index = WordIndex.build(["trees and words", "words"])
    assert index.scores({"tree": 2.0, "word": 1.0}).tolist() == pytest.approx(
        index.scores("tree tree word").tolist()
    )


def test_fading_words_fade_more_slowly_than_close_ones() -> None:
    left, right = "gauge on the quay", "and tide"
    fading, close = fading_words(left, right), close_words(left, right)
    assert fading["gauge"] == pytest.approx(math.exp(-3 / 12))
    assert fading["tide"] == pytest.approx(math.exp(-1 / 12))
    assert close["gauge"] < fading["gauge"] < 1
    assert set(fading_words("测量潮汐", "")) == set(close_words("测量潮汐", ""))


def test_close_words_fade_in_any_language() -> None:
    weights = close_words("alpha one two beta", "gamma")
    assert weights["beta"] == weights["gamma"] == 1
    assert weights["alpha"] == pytest.approx(math.exp(-3 / 5))
    chinese = close_words("Alpha" + "方法" * 4 + "Beta", "")
    assert chinese["beta"] == 1 and chinese["alpha"] < 0.5
    assert close_words("", "") == {}


def test_a_name_with_a_number_has_a_short_form() -> None:
    assert short_forms("the halo of Abell 1550 and of Messier 87") == {"a1550": 1, "m87": 1}
    assert short_forms("阿贝尔星系团 Abell 1550 的射电晕") == {"a1550": 1}
    assert not short_forms("in case 12, Fig. 3 and abell 1550")
