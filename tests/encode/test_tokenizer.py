"""Tokenizers: one file is one vocabulary in memory, and each cuts texts where it was told to."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors

from cite_lsp.encode import EncoderError
from cite_lsp.encode import tokenizer as tokenizer_module
from cite_lsp.encode.tokenizer import load_tokenizer
from cite_lsp.paths import shipped_model

SHIPPED = shipped_model("all-MiniLM-L6-v2") / "tokenizer.json"
TEXTS = ["", "Fine-tuning [MASK] transformers [SEP] naïve 河岸 text\n", "word " * 60]


def write(path: Path, *words: str) -> Path:
    tokenizer = Tokenizer(models.WordLevel({word: row for row, word in enumerate(words)}, "?"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.BertProcessing(("end", 1), ("start", 2))
    tokenizer.save(str(path))
    return path


def test_each_cuts_texts_where_it_was_set_to() -> None:
    plain = Tokenizer.from_file(str(SHIPPED))
    plain.no_padding()
    for most in (256, 16, 3):
        plain.enable_truncation(most)
        tokenizer = load_tokenizer(SHIPPED, most)
        load_tokenizer(SHIPPED, 5)
        for text in TEXTS:
            assert tokenizer.encode(text).ids == plain.encode(text).ids
        assert tokenizer.to_str() == plain.to_str()


def test_tokens_that_were_added_to_a_vocabulary_keep_their_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "tokenizer.json", "?", "end", "start", "tide", "river")
    plain = Tokenizer.from_file(str(path))
    plain.add_tokens(["river bank", AddedToken("mud", single_word=True)])
    plain.add_special_tokens(["[HERE]"])
    plain.add_tokens(["silt"])
    plain.save(str(path))
    plain.enable_truncation(8)
    text = "tide [HERE] river bank mud muddy silt"
    assert load_tokenizer(path, 8).encode(text).ids == plain.encode(text).ids
    for special in (True, False):
        twin = load_tokenizer(path, 8).encode(text, add_special_tokens=special)
        assert twin.tokens == plain.encode(text, add_special_tokens=special).tokens
    assert load_tokenizer(path, 8).decode([5, 7]) == plain.decode([5, 7])


def test_a_file_is_read_once_until_it_changes(tmp_path: Path) -> None:
    path = write(tmp_path / "tokenizer.json", "?", "end", "start", "tide")
    read = tokenizer_module._read.cache_info().misses
    assert load_tokenizer(path, 8).encode("tide marsh").ids == [2, 3, 0, 1]
    load_tokenizer(path, 4)
    assert tokenizer_module._read.cache_info().misses == read + 1
    write(path, "?", "end", "start", "tide", "marsh")
    assert load_tokenizer(path, 8).encode("tide marsh").ids == [2, 3, 4, 1]


@pytest.mark.parametrize("content", [None, b"{}", b"not JSON"])
def test_what_is_no_tokenizer_is_one_clear_line(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EncoderError) as raised:
        load_tokenizer(path, 8)
    message = str(raised.value)
    assert message.startswith(f"{path}: cannot be read as a tokenizer") and "\n" not in message
