"""Windows of words at the beginning and the end of a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.manuscript.text.word_windows import first_words, last_words

ASCII = st.text(st.sampled_from("ab,. \n\t\x0b\x1c"), max_size=30)


@given(ASCII, st.integers(1, 5))
def test_so_many_words_are_read_from_either_end(text: str, count: int) -> None:
    words = text.split()
    last, first = last_words(text, count), first_words(text, count)
    assert text.endswith(last) and last.split() == words[-count:] and last == last.lstrip()
    assert text.startswith(first) and first.split() == words[:count] and first == first.rstrip()


def test_a_han_character_counts_as_half_a_word() -> None:
    text = "Net 深度学习 BERT"
    assert last_words(text, 3) == "深度学习 BERT" and last_words(text, 2) == "学习 BERT"
    assert first_words(text, 3) == "Net 深度学习" and first_words(text, 2) == "Net 深度"
