"""Intervals of figures: they hold the mean, and documents are drawn whole."""

from __future__ import annotations

import tracemalloc

import pytest

from cite_lsp.evaluate.significance import bootstrap_interval


def test_the_interval_holds_the_mean_and_narrows_with_more_values() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 500
    low, high = bootstrap_interval(few)
    assert low < 0.5 < high
    closer_low, closer_high = bootstrap_interval(many)
    assert low < closer_low < 0.5 < closer_high < high
    assert bootstrap_interval([]) == (0.0, 0.0)
    assert bootstrap_interval(few, level=0.5)[0] > low
    error = 0.5 / 1000**0.5  # of the mean of `many`, which is all but normal
    assert bootstrap_interval(many) == pytest.approx((0.5 - 1.96 * error, 0.5 + 1.96 * error), 0.01)


def test_an_interval_over_documents_draws_whole_documents() -> None:
    alike, mixed = [0.0] * 50 + [1.0] * 50, [0.0, 1.0] * 50
    documents = [number // 10 for number in range(100)]
    alone = bootstrap_interval(alike)
    low, high = bootstrap_interval(alike, documents)
    assert low < alone[0] < alone[1] < high
    error = 0.5 / 10**0.5  # of the mean of ten documents
    assert (low, high) == pytest.approx((0.5 - 1.96 * error, 0.5 + 1.96 * error), abs=0.03)
    # What all documents have in common is no matter of chance.
    assert bootstrap_interval(mixed, documents) == (0.5, 0.5)


def test_a_document_counts_in_an_interval_by_its_values() -> None:
    values, documents = [1.0] * 90 + [0.0] * 10, ["long"] * 90 + ["short"] * 10
    assert bootstrap_interval(values, documents) == (0.0, 1.0)
    assert bootstrap_interval(values, documents, level=0.1) == (0.9, 0.9)
    apart = [str(number) for number in range(100)]
    assert bootstrap_interval(values, apart) == bootstrap_interval(values)


def test_an_interval_of_many_contexts_takes_little_memory() -> None:
    tracemalloc.start()
    try:
        bootstrap_interval([0.0, 1.0] * 10_000)
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
