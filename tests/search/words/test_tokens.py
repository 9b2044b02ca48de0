"""What counts as a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.search.words.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The graphs of a Neural network", ["graph", "neural", "network"]),
        ("fine-tuning BERT's 12 layers", ["fine", "tuning", "bert", "12", "layer"]),
        ("Gödel, Erdős and ｆｕｌｌ-ｗｉｄｔｈ", ["godel", "erdo", "full", "width"]),
        ("机器翻译", ["机器", "器翻", "翻译"]),
        ("用BERT模型做", ["用", "bert", "模型", "型做"]),
        ("日本語のテスト", ["日本", "本語", "語の", "のテ", "テス", "スト"]),
        ("queries analyses classes bus loss", ["query", "analyse", "classe", "bus", "loss"]),
        ("snake_case and C++", ["snake", "case"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert tokenise(text) == words


@pytest.mark.parametrize("pair", [("graph", "graphs"), ("study", "studies"), ("Café", "cafe")])
def test_spellings_of_one_word_meet(pair: tuple[str, str]) -> None:
    assert tokenise(pair[0]) == tokenise(pair[1])


@given(st.text())
def test_any_text_has_words_without_blanks_or_capitals(text: str) -> None:
    for word in tokenise(text):
        assert word
        assert not any(character.isspace() or character in "_,.;" for character in word)
        assert word == word.casefold()


@given(st.text(alphabet="abcs éß機器 -", max_size=30), st.text(alphabet="abcs 機器", max_size=30))
def test_texts_side_by_side_have_the_words_of_both(left: str, right: str) -> None:
    assert tokenise(f"{left}\n{right}") == tokenise(left) + tokenise(right)
