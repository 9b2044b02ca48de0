"""Sparse rows give what their dense form would, and vocabularies make unit TF-IDF vectors."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.recommend.base import sparse_rows
from cite_lsp.recommend.base.sparse_rows import SparseRows, Vocabulary

BAGS = [{"tide": 2.0, "gull": 1.0}, {}, {"gull": 3.0}, {"tide": 1.0, "silt": 0.5}]


@pytest.fixture
def rows() -> SparseRows:
    return Vocabulary.of(BAGS).vectors(BAGS)


def dense(rows: SparseRows) -> np.ndarray:
    table = np.zeros((len(rows), rows.width), dtype=np.float32)
    for number in range(len(rows)):
        places, values = rows.row(number)
        table[number, places] = values
    return table


@pytest.mark.parametrize("chunk", [1, 2, 1 << 16])
def test_a_product_is_that_of_the_dense_rows_in_chunks_of_any_size(
    rows: SparseRows, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(sparse_rows, "_CHUNK", chunk)
    table = np.random.default_rng(3).normal(size=(rows.width, 5)).astype(np.float32)
    assert np.allclose(rows.times(table), dense(rows) @ table)
    assert not rows.times(table)[1].any()


def test_rows_are_taken_in_the_given_order(rows: SparseRows) -> None:
    wanted = np.array([3, 1, 0, 3])
    assert np.array_equal(dense(rows.take(wanted)), dense(rows)[wanted])
    assert rows.take(wanted).numbers().tolist() == [0, 0, 2, 2, 3, 3]


def test_columns_become_rows(rows: SparseRows) -> None:
    assert np.array_equal(dense(rows.transposed()), dense(rows).T)


def test_vectors_have_unit_length_and_rare_words_weigh_more() -> None:
    vocabulary = Vocabulary.of(BAGS)
    assert vocabulary.words == ("gull", "silt", "tide")
    assert vocabulary.idf[1] == pytest.approx(np.log(4) + 1)
    places, values = vocabulary.vector({"silt": 1.0, "tide": 1.0, "unheard": 9.0})
    assert places.tolist() == [1, 2]
    assert np.linalg.norm(values) == pytest.approx(1.0)
    assert values[0] > values[1]
    assert vocabulary.vector({"unheard": 1.0})[0].tolist() == []


def test_a_vocabulary_keeps_its_words_in_place_when_it_grows() -> None:
    old = Vocabulary.of([{"tide": 1.0}, {"gull": 1.0}])
    grown = old.extended(Vocabulary.of([{"silt": 1.0, "gull": 1.0}]))
    assert grown.words == ("gull", "tide", "silt")
    assert np.array_equal(grown.idf[:2], old.idf)


def test_counts_are_not_weighted() -> None:
    vocabulary = Vocabulary.of(BAGS)
    assert vocabulary.counts(BAGS).values.tolist() == [1.0, 2.0, 3.0, 0.5, 1.0]
