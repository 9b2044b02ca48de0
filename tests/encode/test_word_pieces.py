"""Pieces of words, as the tokenizer cuts them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from cite_lsp.encode.tokenizer import load_tokenizer
from cite_lsp.encode.word_pieces import WordPieces
from cite_lsp.paths import shipped_model

LIMIT = 24
TOKENIZER = load_tokenizer(shipped_model("all-MiniLM-L6-v2") / "tokenizer.json", LIMIT)
PIECES = WordPieces(TOKENIZER, LIMIT)

TEXTS = [
    "",
    "   ",
    "Attention is all you need.",
    "BERT: pre-training, fine-tuning & more (2019)!",
    "naïve Bayes – “revisited”, na\u200bïve",
    "吴菲 writes about 引文 in Chinese",
    "a[MASK]b and [SEP]",
    "tab\tnew\nline\rreturn\x0bvertical\x1cfile\x85next\u2028line",
    "\x00zero\x07bell\x7fdelete",
    "x" * 200 + " short",
    "İstanbul ǅ ß ﬁ ½",
    "half \ud83d pair",
    "word " * 100,
    "émigré " * 100,
]


def by_tokenizer(tokenizer: Tokenizer, text: str) -> list[int]:
    clean = text.encode("utf-8", "replace").decode()
    return list(tokenizer.encode(clean, add_special_tokens=False).ids)


def test_every_kind_of_text_is_cut_as_the_tokenizer_does() -> None:
    for _ in range(2):  # unknown words, then known ones
        assert PIECES.ids(TEXTS) == [by_tokenizer(TOKENIZER, text) for text in TEXTS]


@settings(max_examples=400, deadline=None)
@given(text=st.text(max_size=80))
def test_any_text_is_cut_as_the_tokenizer_does(text: str) -> None:
    assert PIECES.ids([text]) == [by_tokenizer(TOKENIZER, text)]


@pytest.mark.parametrize("change", ["cased", "another cutter", "another model"])
def test_other_rules_go_the_tokenizers_way(change: str) -> None:
    words = {"[UNK]": 0, "Abc": 1, "abc": 2, "d": 3, "-": 4, "x-y": 5}
    tokenizer = Tokenizer(models.WordPiece(words, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=change != "cased")
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if change == "another cutter":
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if change == "another model":
        tokenizer.model = models.WordLevel(words, unk_token="[UNK]")
    texts = ["Abc d x-y", "abc-d"]
    assert WordPieces(tokenizer, 9).ids(texts) == [by_tokenizer(tokenizer, text) for text in texts]
