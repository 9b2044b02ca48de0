"""Windows of sentences: what stands together is read together, each sentence in one window."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, processors

from cite_lsp.encode.tokenizer import LibraryTokenizer, Tokenizer
from cite_lsp.recommend.missing.passages import Passage
from cite_lsp.recommend.missing.sentence_windows import MOST_TOKENS, windows_of

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


def section(texts: Sequence[str], title: str = "Method") -> list[Passage]:
    return [
        Passage(text, before, after, title)
        for before, text, after in zip(("", *texts), texts, (*texts[1:], ""), strict=False)
    ]


def test_sentences_that_follow_one_another_are_read_in_one_window(
    tokenizer: LibraryTokenizer,
) -> None:
    (window,) = windows_of(section(["gulls nest", "crabs hide there"]), tokenizer)
    assert list(window.tokens) == [_CLS, 3, _SEP, 5, 6, _SEP, 8, 9, 10, _SEP]
    assert list(window.places) == [(3, 6), (6, 10)] and window.rows == range(2)


def test_a_section_is_not_read_with_another(tokenizer: Tokenizer) -> None:
    rows = [*section(["gulls nest"]), *section(["crabs hide"], "Results")]
    assert [window.rows for window in windows_of(rows, tokenizer)] == [range(1), range(1, 2)]


def test_what_was_left_out_between_two_sentences_parts_them(tokenizer: Tokenizer) -> None:
    first, _, last = section(["gulls nest", "crabs hide", "gulls hide"])
    before, after = windows_of([first, last], tokenizer)
    assert list(before.tokens) == [_CLS, 3, _SEP, 5, 6, _SEP, 8, 9, _SEP]
    assert list(after.tokens) == [_CLS, 3, _SEP, 8, 9, _SEP, 5, 9, _SEP]
    assert list(before.places) == [(3, 6)] and list(after.places) == [(6, 9)]


def test_a_long_section_is_read_in_parts_that_know_their_neighbours(
    tokenizer: LibraryTokenizer,
) -> None:
    rows = section([("gulls nest here " * 10).strip()] * 12)
    windows = windows_of(rows, tokenizer)
    assert [row for window in windows for row in window.rows] == list(range(12))
    asked = [sum(end - begin for begin, end in window.places) for window in windows]
    assert len(windows) > 3 and max(asked) <= MOST_TOKENS
    assert windows[1].places[0][0] > windows[0].places[0][0]


def test_a_very_long_sentence_is_cut(tokenizer: Tokenizer) -> None:
    (window,) = windows_of(section(["gulls nest " * 200]), tokenizer)
    assert len(window.tokens) < MOST_TOKENS


def test_no_sentences_have_no_windows(tokenizer: Tokenizer) -> None:
    assert windows_of([], tokenizer) == []
