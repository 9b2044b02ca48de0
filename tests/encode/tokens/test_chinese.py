"""Texts are cut into the Chinese words that a tokenizer knows before it reads them."""

from __future__ import annotations

import json
from pathlib import Path

from cite_lsp.encode.tokens.chinese import ChineseTokenizer
from cite_lsp.encode.tokens.tokenizer import load_tokenizer
from cite_lsp.paths import shipped_model

RULES = shipped_model("query-encoder-zh") / "tokenizer.json"


def test_words_are_read_whole_and_others_in_the_longest_parts_that_are_known() -> None:
    tokenizer = ChineseTokenizer(load_tokenizer(RULES))
    names = {number: word for word, number in tokenizer.vocabulary.items()}
    texts = ["基于BERT的研究方法", "a model"]
    chinese, english = tokenizer.pieces(texts)
    assert [names[piece] for piece in chinese] == ["基于", "bert", "的", "研究", "方法"]
    assert [english] == load_tokenizer(RULES).pieces(["a model"])
    assert tokenizer.pieces(texts, 2) == [chinese[:2], english[:2]]
    assert tokenizer.around == load_tokenizer(RULES).around


def test_the_vocabulary_has_words_of_several_characters() -> None:
    vocabulary = json.loads(Path(RULES).read_text(encoding="utf-8"))["model"]["vocab"]
    assert "方法" in vocabulary
