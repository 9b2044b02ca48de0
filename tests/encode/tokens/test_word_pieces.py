"""Pieces of words, as the package `tokenizers` cuts them by the same rules."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

from cite_lsp.encode.tokens.tokenizer import with_bounds
from cite_lsp.encode.tokens.word_pieces import UnknownRulesError, WordPieces
from cite_lsp.paths import shipped_model

SHIPPED = {
    name: (shipped_model(name) / "tokenizer.json").read_text(encoding="utf-8")
    for name in ("all-MiniLM-L6-v2", "cross-lingual")
}
PIECES = {name: WordPieces(json.loads(rules)) for name, rules in SHIPPED.items()}
LIBRARY = {name: Tokenizer.from_str(rules) for name, rules in SHIPPED.items()}

TEXTS = [
    "",
    "   ",
    "Attention is all you need.",
    "BERT: pre-training, fine-tuning & more (2019)!",
    "naïve Bayes – “revisited”, na\u200bïve",
    "吴菲 writes about 引文 in Chinese，and《that》",
    "a[MASK]b and [SEP] but [mask] and [CLS",
    "tab\tnew\nline\rreturn\x0bvertical\x1cfile\x85next\u2028line\u3000wide",
    "\x00zero\x07bell\x7fdelete\ufffd",
    "x" * 200 + " short",
    "İstanbul ǅ ß ﬁ ½ ΟΔΟΣ Σ",
    "half \ud83d pair 🙂",
    "word " * 100,
    "émigré " * 100,
    "x + y = z_1, a`b ~c $5 100% 3.14 https://doi.org/10.1000/x",
    "Привет, мир; שלום عَرَبِيّ हिन्दी 한국어 かな",
]
OF_OLD_TABLES = st.characters(
    codec="utf-8",
    categories=["L", "M", "N", "P", "S", "Z", "Cc", "Cf"],
    max_codepoint=0x5FF,
) | st.sampled_from("吴菲引文，《》\u3000\u200b\u2028한かé–“”🙂\ufeff[]")
"""Characters that both know: the package's tables of Unicode are older than Python's."""


def by_library(tokenizer: Tokenizer, texts: Sequence[str], *, whole: bool = False) -> list[Any]:
    clean = [text.encode("utf-8", "replace").decode() for text in texts]
    encoded = tokenizer.encode_batch(clean, add_special_tokens=whole)
    return [list(encoding.ids) for encoding in encoded]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_kind_of_text_is_cut_as_the_library_does(name: str) -> None:
    for _ in range(2):  # unknown words, then known ones
        assert PIECES[name].pieces(TEXTS) == by_library(LIBRARY[name], TEXTS)
    assert PIECES[name].vocabulary == LIBRARY[name].get_vocab()


@settings(max_examples=400, deadline=None)
@given(text=st.text(OF_OLD_TABLES, max_size=80))
def test_any_text_is_cut_as_the_library_does(text: str) -> None:
    for name, pieces in PIECES.items():
        assert pieces.pieces([text]) == by_library(LIBRARY[name], [text])


def test_no_common_character_is_cut_otherwise() -> None:
    """Those that only Python's newer tables know part words otherwise, and are left out."""
    others = []
    # All that are assigned, and the first of the planes that are for private use.
    for start in (*range(1, 0x33000, 0x1000), 0xE0000, 0xF0000, 0x100000):
        codes = [code for code in range(start, start + 0x1000) if not 0xD800 <= code < 0xE000]
        texts = [f"a{chr(code)}b" for code in codes]
        ours = PIECES["cross-lingual"].pieces(texts)
        theirs = by_library(LIBRARY["cross-lingual"], texts)
        others += [text[1] for text, a, b in zip(texts, ours, theirs, strict=True) if a != b]
    assert len(others) < 1500
    assert not [other for other in others if unicodedata.name(other, "").startswith("LATIN")]
    assert min(map(ord, others), default=0x600) >= 0x600


@pytest.mark.parametrize("most", [2, 3, 16, 256])
def test_texts_are_cut_where_the_encoder_ends(most: int) -> None:
    library = Tokenizer.from_str(SHIPPED["all-MiniLM-L6-v2"])
    library.enable_truncation(most)
    ours = with_bounds(PIECES["all-MiniLM-L6-v2"], TEXTS, most)
    assert ours == by_library(library, TEXTS, whole=True)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("accents", [True, False, None])
@pytest.mark.parametrize("han", [True, False])
def test_rules_of_other_berts(lower: bool, accents: bool | None, han: bool) -> None:
    words = ["[UNK]", "[CLS]", "[SEP]", *"AaBbéeé文引", "##b", "##é", "##引", "##e", ","]
    tokenizer = Tokenizer(
        WordPiece(vocab={word: row for row, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer(
        lowercase=lower, strip_accents=accents, handle_chinese_chars=han
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    ours = WordPieces(json.loads(tokenizer.to_str()))
    texts = ["", "Ab, aé文引 AbÉ é e\u0301", "bb zz"]
    assert with_bounds(ours, texts, 99) == by_library(tokenizer, texts, whole=True)


def test_other_rules_are_not_taken_for_those_of_bert(tmp_path: Path) -> None:
    rules = json.loads(SHIPPED["all-MiniLM-L6-v2"])
    for changed in (
        {"model": rules["model"] | {"type": "BPE"}},
        {"normalizer": None},
        {"pre_tokenizer": {"type": "Whitespace"}},
        {"post_processor": {"type": "Sequence"}},
        {"added_tokens": [rules["added_tokens"][0] | {"lstrip": True}]},
    ):
        with pytest.raises(UnknownRulesError):
            WordPieces(rules | changed)


def test_threads_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cite_lsp.encode.tokens.word_pieces._CACHED_WORDS", 3)
    pieces = WordPieces(json.loads(SHIPPED["all-MiniLM-L6-v2"]))
    wanted = pieces.pieces(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        assert all(made == wanted for made in pool.map(pieces.pieces, [TEXTS] * 20))
