"""The columns of papers that the second stage reads: what they hold, and how lists are taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.paper import Paper
from cite_lsp.search.corpus.paper_columns import (
    AUTHORS_READ,
    PaperColumns,
    Ragged,
    handle,
    surname_hashes,
    take,
    title_key,
)
from cite_lsp.search.words.hashes import word_hash

PAPERS = (
    Paper("a", "TIDE: Tide Tables of the Marsh", "", ("Ada van Moor", "吴菲"), 2001, "Shores"),
    Paper("b", "", "", (), None, ""),
    Paper("c", "Marsh plants", "", tuple(f"Given Name{n}" for n in range(30)), 2003, "SHORES"),
    Paper("d", "潮汐预测", "", ("李娜",), 2004, "Tides"),
)

lists = st.lists(st.lists(st.integers(0, 99), max_size=5), max_size=8)


def ragged(values: list[list[int]]) -> Ragged:
    starts = np.cumsum([0, *map(len, values)], dtype=np.int64)
    return Ragged(starts, np.array([value for row in values for value in row], dtype=np.int64))


@given(lists)
def test_sums_are_those_of_each_list(values: list[list[int]]) -> None:
    rows = ragged(values)
    weights = np.array([math.sin(value) for value in rows.values], dtype=np.float32)
    expected = [sum(math.sin(value) for value in row) for row in values]
    np.testing.assert_allclose(rows.sums(weights), np.array(expected, np.float32), atol=1e-5)


@given(lists.filter(bool), st.data())
def test_lists_are_taken_in_any_order_and_more_than_once(
    values: list[list[int]], data: st.DataObject
) -> None:
    whole = ragged(values)
    rows = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=10))
    places, starts = take(whole.starts, np.array(rows, dtype=np.int64))
    taken = whole.values[places]
    result = [taken[start:end].tolist() for start, end in zip(starts, starts[1:], strict=False)]
    assert result == [values[row] for row in rows]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("BERT: Pre-training of Deep Transformers", "bert"),
        ("Tide Watch: a gauge", "tide watch"),
        ("Tides of the north: a survey", ""),
        ("Tides", ""),
        ("Tides:", ""),
        (": a survey", ""),
        ("Gödel: numbers", "godel"),
    ],
)
def test_a_handle_is_the_short_name_before_a_colon(title: str, name: str) -> None:
    assert handle(title) == name


def test_two_records_of_one_work_share_a_key() -> None:
    first = Paper("x", "The Tides, again.", "", ("Ada Moor", "Bo Reed"), 2001)
    second = Paper("y", "the tides again", "An abstract.", ("Moor, A.",), 2002)
    assert title_key(first) == title_key(second)
    assert title_key(first) != title_key(Paper("z", "The Tides, again.", "", ("Bo Reed",)))
    assert title_key(first) != title_key(Paper("z", "The Tides, again."))


def test_names_of_a_large_collaboration_are_cut() -> None:
    assert surname_hashes(PAPERS[0]) == [word_hash("van moor"), word_hash("吴菲")]
    assert len(surname_hashes(PAPERS[2])) == AUTHORS_READ


def test_columns_hold_what_the_papers_say() -> None:
    columns = PaperColumns.build(PAPERS)
    assert len(columns) == len(PAPERS)
    assert columns.title_keys.tolist() == [title_key(paper) for paper in PAPERS]
    assert columns.handles.tolist() == [word_hash("tide"), 0, 0, 0]
    shores, tides = word_hash("shores"), word_hash("tides")
    assert columns.venues.tolist() == [shores, 0, shores, tides]
    authors = columns.authors(np.array([3, 1, 0]))
    assert authors.starts.tolist() == [0, 1, 1, 3]
    assert authors.values.tolist() == [word_hash("李娜"), *surname_hashes(PAPERS[0])]


def test_title_words_stand_once_each_with_their_idf_among_the_titles() -> None:
    columns = PaperColumns.build(PAPERS)
    titles, weights = columns.titles(np.array([2, 1, 0]))
    result = dict(zip(titles.values[:2].tolist(), weights[:2].tolist(), strict=True))
    rare, shared = math.log(1 + 4 / 1), math.log(1 + 4 / 2)
    expected = {word_hash("marsh"): shared, word_hash("plant"): rare}
    assert result == pytest.approx(expected, rel=1e-3)
    assert np.diff(titles.starts).tolist() == [2, 0, 3]  # tide, table, marsh: tide once
    assert titles.sums(weights)[1] == 0


@pytest.mark.parametrize("papers", [PAPERS, PAPERS[1:2], ()], ids=["some", "bare", "none"])
def test_saved_columns_open_as_they_were(tmp_path: Path, papers: tuple[Paper, ...]) -> None:
    built = PaperColumns.build(papers)
    built.save(tmp_path / "columns")
    opened = PaperColumns.open(tmp_path / "columns")
    rows = np.arange(len(papers))
    assert len(opened) == len(papers)
    for name in ("title_keys", "handles", "venues"):
        np.testing.assert_array_equal(getattr(opened, name), getattr(built, name))
    for first, second in zip(
        (opened.titles(rows)[0], opened.authors(rows)),
        (built.titles(rows)[0], built.authors(rows)),
        strict=True,
    ):
        np.testing.assert_array_equal(first.starts, second.starts)
        np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(opened.titles(rows)[1], built.titles(rows)[1])


DAMAGE: dict[str, Callable[[Path], object]] = {
    "gone": lambda folder: (folder / "handles.npy").unlink(),
    "empty": lambda folder: (folder / "venues.npy").write_bytes(b""),
    "no array": lambda folder: (folder / "authors.npy").write_bytes(b"words"),
    "of another type": lambda folder: np.save(folder / "authors.npy", np.zeros(16)),
    "of another shape": lambda folder: np.save(folder / "handles.npy", np.zeros((4, 1), "u4")),
    "cut off": lambda folder: np.save(folder / "title_words.npy", np.zeros(2, np.uint32)),
    "without starts": lambda folder: np.save(folder / "author_starts.npy", np.zeros(0, np.int64)),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_columns_are_an_error_of_one_line(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    PaperColumns.build(PAPERS).save(tmp_path)
    damage(tmp_path)
    with pytest.raises((OSError, ValueError), match=r"\w+\.npy") as caught:
        PaperColumns.open(tmp_path)
    assert "\n" not in str(caught.value)
