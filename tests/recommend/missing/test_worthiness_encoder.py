"""The encoder of windows that ships: what it says of sentences, and of broken folders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, processors

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode.encoder import EncoderError
from cite_lsp.encode.tokens.tokenizer import LibraryTokenizer, Tokenizer
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.missing.passages import Passage
from cite_lsp.recommend.missing.worthiness_encoder import (
    CHINESE_MODEL,
    MODEL,
    MOST_TOKENS,
    WorthinessEncoder,
    windows_of,
)

TEXT = (
    "Word vectors were first learned by Mikolov and colleagues from large corpora.",
    "Later studies have shown that context improves them.",
    "We describe the structure of this paper.",
    "Section 2 has our notation.",
)

CHINESE_TEXT = (
    "早期的词向量由米科洛夫等人从大规模语料中学习得到。",
    "已有研究表明，上下文能够改进它们。",
    "本章的结构安排如下。",
    "第二节给出本文的记号。",
)


@pytest.fixture(scope="module")
def reader() -> WorthinessEncoder:
    return WorthinessEncoder(shipped_model(MODEL))


def section(texts: tuple[str, ...] = TEXT, title: str = "Introduction") -> list[Passage]:
    return [
        Passage(text, before, after, title)
        for before, text, after in zip(("", *texts), texts, (*texts[1:], ""), strict=False)
    ]


def test_what_others_did_has_the_higher_logits(reader: WorthinessEncoder) -> None:
    logits = reader.logits(section())
    assert logits.shape == (4,) and logits[:2].min() > logits[2:].max()


def test_chinese_sentences_are_read_by_an_encoder_of_their_own() -> None:
    logits = WorthinessEncoder(shipped_model(CHINESE_MODEL)).logits(section(CHINESE_TEXT, "引言"))
    assert logits[:2].min() > logits[2:].max()


def test_a_sentence_is_read_with_those_around_it(reader: WorthinessEncoder) -> None:
    together = reader.logits(section())
    alone = reader.logits(section(TEXT[:1]))
    assert together[0] != alone[0]


def test_what_was_read_before_stays_what_it_was(reader: WorthinessEncoder) -> None:
    first = reader.logits(section())
    reader.logits(section(TEXT[2:], "Outline"))
    np.testing.assert_array_equal(reader.logits(section()), first)
    assert reader.logits([]).shape == (0,)


def test_reading_can_be_called_off(reader: WorthinessEncoder) -> None:
    with pytest.raises(Cancelled):
        reader.logits(section(), cancelled=lambda: True)


def test_a_broken_folder_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="cannot be read as the description"):
        WorthinessEncoder(tmp_path)
    folder = tmp_path / "model"
    shutil.copytree(shipped_model(MODEL), folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    other = config | {"kind": "static"}
    (folder / "config.json").write_text(json.dumps(other), encoding="utf-8")
    with pytest.raises(EncoderError, match="kind 'static'"):
        WorthinessEncoder(folder)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "model.onnx.zst").write_bytes(b"no graph")
    with pytest.raises(EncoderError, match="cannot be loaded"):
        WorthinessEncoder(folder).logits(section())


_CLS, _SEP = 0, 1


@pytest.fixture
def tokenizer() -> Tokenizer:
    """Tokens are words."""
    words = "[CLS] [SEP] [UNK] Method Results gulls nest here crabs hide there".split()
    made = tokenizers.Tokenizer(
        models.WordLevel({word: n for n, word in enumerate(words)}, "[UNK]")
    )
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.BertProcessing(("[SEP]", _SEP), ("[CLS]", _CLS))
    return LibraryTokenizer(made)


def in_a_row(texts: Sequence[str], title: str = "Method") -> list[Passage]:
    return [
        Passage(text, before, after, title)
        for before, text, after in zip(("", *texts), texts, (*texts[1:], ""), strict=False)
    ]


def test_sentences_that_follow_one_another_are_read_in_one_window(
    tokenizer: LibraryTokenizer,
) -> None:
    (window,) = windows_of(in_a_row(["gulls nest", "crabs hide there"]), tokenizer)
    assert list(window.tokens) == [_CLS, 3, _SEP, 5, 6, _SEP, 8, 9, 10, _SEP]
    assert list(window.places) == [(3, 6), (6, 10)] and window.rows == range(2)


def test_a_section_is_not_read_with_another(tokenizer: Tokenizer) -> None:
    rows = [*in_a_row(["gulls nest"]), *in_a_row(["crabs hide"], "Results")]
    assert [window.rows for window in windows_of(rows, tokenizer)] == [range(1), range(1, 2)]


def test_what_was_left_out_between_two_sentences_parts_them(tokenizer: Tokenizer) -> None:
    first, _, last = in_a_row(["gulls nest", "crabs hide", "gulls hide"])
    before, after = windows_of([first, last], tokenizer)
    assert list(before.tokens) == [_CLS, 3, _SEP, 5, 6, _SEP, 8, 9, _SEP]
    assert list(after.tokens) == [_CLS, 3, _SEP, 8, 9, _SEP, 5, 9, _SEP]
    assert list(before.places) == [(3, 6)] and list(after.places) == [(6, 9)]


def test_a_long_section_is_read_in_parts_that_know_their_neighbours(
    tokenizer: LibraryTokenizer,
) -> None:
    rows = in_a_row([("gulls nest here " * 10).strip()] * 12)
    windows = windows_of(rows, tokenizer)
    assert [row for window in windows for row in window.rows] == list(range(12))
    sizes = [sum(end - begin for begin, end in window.places) for window in windows]
    assert len(windows) > 3 and max(sizes) <= MOST_TOKENS
    assert windows[1].places[0][0] > windows[0].places[0][0]


def test_a_very_long_sentence_is_cut(tokenizer: Tokenizer) -> None:
    (window,) = windows_of(in_a_row(["gulls nest " * 200]), tokenizer)
    assert len(window.tokens) < MOST_TOKENS


def test_no_sentences_have_no_windows(tokenizer: Tokenizer) -> None:
    assert windows_of([], tokenizer) == []
