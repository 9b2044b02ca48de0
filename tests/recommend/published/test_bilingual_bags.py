"""Bags of words: the sentences around a marker, every sense of a word, papers put into Chinese."""

from __future__ import annotations

import pytest
from attrs import evolve

from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.published.bilingual_bags import backwards, three_sentences
from cite_lsp.translate.lexicon import Lexicon
from tests.recommend.bilingual import PAPERS, bags


def test_the_sentence_of_the_marker_stands_between_its_neighbours() -> None:
    left = "第一句。第二句说海鸥。第三句说潮汐"
    right = "，还没有完。第四句说词。第五句。"
    result = three_sentences(left, right)
    assert "第二句" in result and "第三句" in result and "第四句" in result
    assert "第一句" not in result and "第五句" not in result
    assert "\ue000" not in result


def test_nothing_around_a_marker_is_no_words() -> None:
    assert three_sentences("", "").strip() == ""
    assert bags().of_context(Context("", ""), "english") == {}


def test_a_context_keeps_every_sense_with_its_probability_and_latin_words_as_they_are() -> None:
    context = Context("BERT 观测潮汐", "。", language="zh")
    assert bags().of_context(context, "chinese") == {"bert": 1.0, "观测": 1.0, "潮汐": 1.0}
    english = bags().of_context(context, "english")
    assert english == pytest.approx({"bert": 1.0, "observe": 1.0, "tide": 0.7, "tidal": 0.3})


def test_function_words_are_left_out() -> None:
    context = Context("我们提出了一种新的检测方法", "。", language="zh")
    assert list(bags().of_context(context, "chinese")) == ["新", "检测", "方法"]


def test_the_abstract_is_a_part_of_its_own() -> None:
    context = Context("潮汐", "。", abstract="海鸥筑巢")
    assert set(bags().of_context(context, "abstract")) == {"海鸥", "筑巢"}
    assert set(bags().of_context(context, "abstract-english")) == {"gull", "seagull", "nest"}
    assert bags().of_context(evolve(context, abstract=""), "abstract") == {}


def test_a_paper_is_its_title_abstract_and_surnames() -> None:
    assert set(bags().of_paper(PAPERS[1], "english")) == {"herring", "gull", "nest", "ash"}


def test_a_paper_in_chinese_has_its_translations_beside_its_own_words() -> None:
    bag = bags().of_paper(PAPERS[1], "chinese")
    assert bag["海鸥"] == bag["筑巢"] == bag["herring"] == 1.0
    surname = Paper("x", "Tide", authors=("Gull, A.",))
    assert "海鸥" not in bags().of_paper(surname, "chinese")


def test_a_chinese_paper_has_its_chinese_words() -> None:
    paper = Paper("x", "海鸥的筑巢 GPS")
    assert dict(bags().of_paper(paper, "english")) == {"海鸥": 1.0, "筑巢": 1.0, "gps": 1.0}


def test_frequent_chinese_words_are_likelier_translations() -> None:
    back = backwards(Lexicon({"模型": "model\t900", "劳模": "model\t900"}))
    assert [word for word, _ in back["model"]] == ["模型", "劳模"]
    assert sum(share for _, share in back["model"]) == pytest.approx(1.0)
