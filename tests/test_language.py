"""The letters of East Asia, and which texts in them count as Chinese."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest

from cite_lsp.language import (
    COMMON_HAN,
    EAST_ASIAN,
    HAN,
    UNSPACED,
    detect_language,
    has_han,
    is_chinese_sentence,
)


def scripts_of(letters: str) -> set[str]:
    """Return the scripts of all letters in some ranges, as their names begin with them."""
    every = "".join(filter(str.isalpha, map(chr, range(sys.maxunicode))))
    characters = re.findall(f"[{letters}]", every)
    return {re.split("[ -]", unicodedata.name(character))[0] for character in characters}


def test_each_range_holds_its_scripts_and_the_wider_hold_the_narrower() -> None:
    assert scripts_of(COMMON_HAN) == scripts_of(HAN) == {"CJK"}
    assert scripts_of(UNSPACED) == {"CJK", "HIRAGANA", "KATAKANA"}
    assert scripts_of(EAST_ASIAN) == {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"}


@pytest.mark.parametrize("text", ["", "plain", "Gödel 1931", "…—“”", "\ud800", "😀かな한글"])
def test_a_text_without_chinese_has_none(text: str) -> None:
    assert not has_han(text)
    assert detect_language(text) == "en"


@pytest.mark.parametrize("text", ["图神经网络", "BERT 与 GPT-4 的比较研究", "\u3400", "\uf900"])
def test_a_fifth_of_the_letters_makes_a_text_chinese(text: str) -> None:
    assert has_han(text)
    assert detect_language(text) == "zh"


def test_an_english_text_may_quote_a_chinese_word() -> None:
    text = "The word 网络 means a network, and this sentence is an English one."
    assert has_han(text)
    assert detect_language(text) == "en"


def test_a_sentence_in_japanese_or_with_a_word_of_chinese_alone_is_no_chinese_one() -> None:
    assert is_chinese_sentence("基于BERT的方法已有很多研究。")
    assert not is_chinese_sentence("これについては多くの研究がある。")
    assert not is_chinese_sentence("The word 词 is one of the shortest in Chinese.")
    assert not is_chinese_sentence("")
