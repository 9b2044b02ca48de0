"""Papers found by the beginnings of words, as they are typed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.paper import Paper
from cite_lsp.search.words.typed_words import TypedWords

PAPERS = [
    Paper("a", "Attention Is All You Need", authors=("Ashish Vaswani",), year=2017),
    Paper("b", "Über die Ähnlichkeit", authors=("Jörg Müller",), year=2017),
    Paper("c", "基于深度学习的文本分类研究", authors=("李明",), year=2021),
    Paper("e", "面向MOOC平台的推荐", authors=("王芳",)),
    Paper("d", "Attention and Memory", authors=("Ann Vast",)),
    Paper("f", "Ærlige ord", authors=("Lilja Øvrelid", "Çağrı Yıldız"), year=2010),
]


def titles_of(index: TypedWords, typed: str) -> list[str]:
    mask = index.matching(typed)
    assert mask is not None
    return [PAPERS[row].id for row in np.flatnonzero(mask)]


@pytest.fixture(params=["built", "opened"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> TypedWords:
    built = TypedWords.build(PAPERS)
    if request.param == "built":
        return built
    built.save(tmp_path / "typed")
    return TypedWords.open(tmp_path / "typed")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("att", "ad"),
        ("ATTENTION vasw", "a"),
        ("2017", "ab"),
        ("vas", "ad"),
        ("muller", "b"),
        ("Über", "b"),
        ("文本分类", "c"),
        ("mooc 王", "e"),
        ("面向mooc", "e"),
        ("李明 2021", "c"),
        ("深度学习的文本分类研究", "c"),
        ("tention", ""),
        ("shenduxuexi", "c"),
        ("sdxx", "c"),
        ("liming", "c"),
        ("lm", "c"),
        ("lim 2021", "c"),
        ("sd", ""),
        ("zzz", ""),
        ("need all", "a"),
        ("øvrelid", "f"),
        ("Øvr", "f"),
        ("ovre yildiz", "f"),
        ("YILDIZ", "f"),
        ("aerlige", "f"),
    ],
)
def test_all_typed_words_begin_a_word_of_the_paper(
    index: TypedWords, typed: str, expected: str
) -> None:
    assert titles_of(index, typed) == list(expected)


def test_where_nothing_is_typed_nothing_is_left_out(index: TypedWords) -> None:
    assert index.matching("") is None and index.matching(" ,;") is None
    assert len(index) == len(PAPERS)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("abcé文本 ", min_size=1, max_size=8), min_size=1, max_size=6), st.data())
def test_any_beginning_of_any_word_finds_its_paper(titles: list[str], data: st.DataObject) -> None:
    index = TypedWords.build([Paper(str(row), title) for row, title in enumerate(titles)])
    row = data.draw(st.integers(0, len(titles) - 1))
    for word in titles[row].split():
        mask = index.matching(word[: data.draw(st.integers(1, len(word)))])
        assert mask is not None and mask[row]


def test_a_damaged_index_is_one_line(tmp_path: Path) -> None:
    TypedWords.build(PAPERS).save(tmp_path)
    (tmp_path / "rows.npy").write_bytes(b"short")
    with pytest.raises(ValueError, match="rows.npy is no array"):
        TypedWords.open(tmp_path)


def test_no_papers_are_an_index_too() -> None:
    mask = TypedWords.build([]).matching("a")
    assert mask is not None and not len(mask)
