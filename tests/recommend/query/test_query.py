"""The windows of a context."""

import pytest

from cite_lsp.manuscript import Context, parse
from cite_lsp.recommend.query.query import NEAR_LEFT, NEAR_RIGHT, read_query
from tests.manuscript.lone_file import context_of


def words(start: int, count: int) -> str:
    return " ".join(f"w{number}" for number in range(start, start + count))


def test_the_near_window_holds_the_words_next_to_the_marker() -> None:
    query = read_query(Context(left=words(0, 50), right=words(100, 50)))
    assert query.near.split()[0] == f"w{50 - NEAR_LEFT}"
    assert query.near.split()[-1] == f"w{100 + NEAR_RIGHT - 1}"


def test_the_wide_window_holds_fifty_words_on_either_side() -> None:
    query = read_query(Context(left=words(0, 60), right=words(100, 60)))
    assert query.wide.split() == [*words(10, 50).split(), *words(100, 50).split()]


def test_a_han_character_counts_as_half_a_word() -> None:
    query = read_query(Context(left="甲" * 100, right="乙" * 100, language="zh"))
    assert query.near == "甲" * (2 * NEAR_LEFT) + " " + "乙" * (2 * NEAR_RIGHT)


def test_latin_words_of_a_chinese_context_are_separate() -> None:
    query = read_query(Context(left="Vaswani等人提出了Transformer模型", right="。", language="zh"))
    assert query.latin == "Vaswani Transformer"


def test_an_english_context_has_no_latin_words_apart() -> None:
    assert read_query(Context(left="The Transformer model", right="")).latin == ""


def test_a_chinese_sentence_of_an_english_draft_is_read_as_chinese() -> None:
    query = read_query(Context(left="Vaswani等人提出了注意力机制", right="", language="en"))
    assert query.latin == "Vaswani"
    assert query.near_words["attention"] > 0


def test_the_topic_joins_section_and_draft_title() -> None:
    query = read_query(Context(left="", right="", section_title="Parsing", title="On Trees"))
    assert query.topic == "Parsing. On Trees"


def test_an_empty_context_asks_nothing() -> None:
    query = read_query(Context(left="", right=""))
    assert (query.near, query.wide, query.topic, query.names) == ("", "", "", "")


@pytest.mark.parametrize(
    ("left", "right", "sentence"),
    [
        ("One ends. Two goes on", "and stops. Three.", "Two goes on and stops."),
        ("One ends. Two stops.", "Three follows.", "Two stops."),
        ("Gulls, e.g. of the north, nest", ". Then.", "Gulls, e.g. of the north, nest ."),
        ("前一句。这一句讲注意力", "的作用。后一句。", "这一句讲注意力 的作用。"),
        ("", "", ""),
    ],
)
def test_the_sentence_is_the_one_that_holds_the_marker(
    left: str, right: str, sentence: str
) -> None:
    assert read_query(Context(left=left, right=right)).sentence == sentence


def test_a_marker_that_begins_a_chinese_sentence_asks_for_what_that_says() -> None:
    draft = parse(r"残差网络很深。\citet{a}在书中说到了注意力。", "latex")
    assert read_query(context_of(draft, draft.markers[0])).sentence == "在书中说到了注意力。"
    draft = parse(r"残差网络很深。\cite{a}书中说到了注意力。", "latex")
    assert read_query(context_of(draft, draft.markers[0])).sentence == "残差网络很深。"
