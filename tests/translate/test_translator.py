"""Chinese into English by the lexicon: a query of words, and a text that an encoder can read."""

import pytest

from cite_lsp.translate.lexicon import Lexicon, Sense
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator


def translator(**senses: str) -> DictionaryTranslator:
    return DictionaryTranslator(
        Lexicon.of({word: [Sense(english, 0.9)] for word, english in senses.items()})
    )


def test_words_are_translated_one_by_one_and_function_words_left_out() -> None:
    translation = translator(检测="detection", 方法="method").translate(["我们提出了检测的方法"])
    assert translation == ["detection method"]


def test_latin_words_numbers_and_names_stay_as_they_are() -> None:
    translation = translator(网络="network").translate(["Ren等人的Faster R-CNN网络（2015）"])[0]
    assert translation == "Ren Faster R-CNN network 2015"


def test_chinese_marks_become_english_ones() -> None:
    translation = translator(卷积="convolution", 网络="network").translate(["卷积、网络。卷积"])
    assert translation == ["convolution, network. convolution"]


def test_an_unknown_word_is_put_together_from_the_fewest_known_parts() -> None:
    known = translator(神经="nerve", 神经网络="neural network", 网="net", 图="graph")
    assert known.known_parts("大神经网络") == ["神经网络"]
    assert known.known_parts("网神经") == ["网", "神经"]
    assert known.known_parts("甲乙丙") == []


def test_a_text_without_chinese_stays_as_it_is() -> None:
    assert translator().translate(["plain, “text”", ""]) == ["plain, “text”", ""]


@pytest.mark.parametrize(("written"), ["目标检测", "目標檢測"])
def test_the_translator_that_ships_reads_either_script(written: str) -> None:
    assert "detect" in shipped_translator().translate([written])[0].lower()
