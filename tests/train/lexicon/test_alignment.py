"""IBM model 1 on texts small enough to know the answer."""

import pytest

from cite_lsp.train.lexicon.alignment import NULL, TextPair, align


def pair(source: str, target: str) -> TextPair:
    return TextPair(tuple(source.split()), tuple(target.split()))


# The example of the tutorials: each word is told apart by the texts in which it stands alone.
BOOKS = [pair("das haus", "the house"), pair("das buch", "the book"), pair("ein buch", "a book")]


def test_words_that_stand_together_in_several_texts_translate_each_other() -> None:
    table = align(BOOKS, iterations=40)
    best = {word: max(shares, key=shares.__getitem__) for word, shares in table.items() if word}
    assert best == {"das": "the", "haus": "house", "buch": "book", "ein": "a"}


def test_one_pass_gives_the_figures_of_the_model() -> None:
    # Two texts, uniform start: t = 1/2 for "b" in both cells, counts by hand.
    table = align([pair("b", "x"), pair("b c", "x y")], iterations=1, smallest=0.0)
    # Shares at the start: NULL, b and c each spread evenly over the two targets they meet.
    # Text 1: x from NULL or b, 1/2 each. Text 2: x and y from NULL, b, c, 1/3 each.
    assert table["b"]["x"] == pytest.approx((1 / 2 + 1 / 3) / (1 / 2 + 1 / 3 + 1 / 3))
    assert table["c"] == pytest.approx({"x": 1 / 2, "y": 1 / 2})


def test_a_word_that_a_text_says_twice_accounts_for_twice_as_much() -> None:
    table = align([pair("b b", "x"), pair("b", "y")], iterations=1, smallest=0.0)
    # x comes from NULL by 1/3 and from b by 2/3, y from both by 1/2.
    assert table["b"]["x"] == pytest.approx((2 / 3) / (2 / 3 + 1 / 2))
    assert table[NULL]["x"] == pytest.approx((1 / 3) / (1 / 3 + 1 / 2))


def test_shares_of_a_word_sum_to_one() -> None:
    for shares in align(BOOKS, iterations=3, smallest=0.0).values():
        assert sum(shares.values()) == pytest.approx(1)


def test_a_word_that_stands_everywhere_is_left_to_no_word() -> None:
    texts = [pair(f"w{number}", f"the t{number}") for number in range(8)]
    table = align(texts, iterations=20)
    assert max(table[NULL], key=table[NULL].__getitem__) == "the"


def test_a_dictionary_decides_where_the_texts_do_not() -> None:
    table = align([pair("甲 乙", "one two")], prior={"甲": {"one": 1.0}}, iterations=10)
    assert table["甲"]["one"] > 0.9
    assert table["乙"]["two"] > table["乙"]["one"]


def test_words_of_the_dictionary_alone_keep_its_shares() -> None:
    table = align([pair("甲", "one")], prior={"乙": {"two": 3.0, "three": 1.0}}, iterations=2)
    assert table["乙"] == pytest.approx({"two": 0.75, "three": 0.25})


def test_without_texts_there_is_nothing() -> None:
    assert align([]) == {}
