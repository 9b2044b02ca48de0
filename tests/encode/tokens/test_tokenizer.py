"""Tokenizers: rules of BERT are ours, others the library's, and a file is read once."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from cite_lsp.encode import EncoderError
from cite_lsp.encode.tokens.tokenizer import LibraryTokenizer, load_tokenizer, with_bounds
from cite_lsp.encode.tokens.word_pieces import WordPieces
from cite_lsp.paths import shipped_model


def write(path: Path, *words: str) -> Path:
    tokenizer = Tokenizer(models.WordLevel({word: row for row, word in enumerate(words)}, "?"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.BertProcessing(("end", 1), ("start", 2))
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(path))
    return path


def test_shipped_encoders_need_no_library() -> None:
    for name in ("all-MiniLM-L6-v2", "cross-lingual", "query-encoder-zh"):
        path = shipped_model(name) / "tokenizer.json"
        assert isinstance(load_tokenizer(path), WordPieces)
        assert load_tokenizer(path) is load_tokenizer(path)


def test_other_rules_go_the_librarys_way(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(write(tmp_path / "tokenizer.json", "?", "end", "start", "tide"))
    assert isinstance(tokenizer, LibraryTokenizer)
    assert tokenizer.around == ((2,), (1,))
    assert tokenizer.pieces(["tide marsh tide", "", "half \ud83d"], 2) == [[3, 0], [], [0, 0]]
    assert with_bounds(tokenizer, ["tide marsh tide"], 4) == [[2, 3, 0, 1]]
    assert tokenizer.vocabulary == {"?": 0, "end": 1, "start": 2, "tide": 3}


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "tokenizer.json", "?", "end", "start", "tide")
    assert load_tokenizer(path).pieces(["tide marsh"]) == [[3, 0]]
    write(path, "?", "end", "start", "tide", "marsh")
    assert load_tokenizer(path).pieces(["tide marsh"]) == [[3, 4]]


def test_without_the_library_other_rules_name_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "tokenizer.json", "?", "end", "start", "tide")
    importing = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "tokenizers":
            raise ImportError("No module named 'tokenizers'")
        return importing(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(EncoderError, match="need the package tokenizers.*torch"):
        load_tokenizer(path)


@pytest.mark.parametrize("content", [None, b"{}", b"[]", b"not JSON", b"\xff"])
def test_what_is_no_tokenizer_is_one_clear_line(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EncoderError) as raised:
        load_tokenizer(path)
    message = str(raised.value)
    assert message.startswith(f"{path}: cannot be read as a tokenizer") and "\n" not in message
