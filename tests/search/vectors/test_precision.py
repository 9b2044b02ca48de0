"""Vectors in eight bits, and what is computed with them part by part."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.encode.encoder import unit
from cite_lsp.search.vectors.precision import cosines, encoded, products

WIDTH = 24


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 1500])
def test_rows_in_parts_give_what_all_at_once_give(count: int) -> None:
    random = np.random.default_rng(count)
    codes = random.integers(-127, 128, (count, WIDTH)).astype(np.int8)
    vector = unit(random.normal(size=WIDTH))
    np.testing.assert_allclose(products(codes, vector), codes.astype(float) @ vector, atol=1e-3)
    np.testing.assert_allclose(cosines(codes, vector), unit(codes) @ vector, atol=1e-6)


def test_a_zero_row_is_near_to_nothing() -> None:
    codes = np.zeros((2, WIDTH), dtype=np.int8)
    codes[1, 0] = 127
    assert cosines(codes, unit(np.eye(WIDTH)[0])).tolist() == [0, 1]


def test_rows_in_eight_bits_are_the_same_when_encoded_again() -> None:
    codes = encoded(np.random.default_rng(1).normal(size=(100, WIDTH)), "i8")
    np.testing.assert_array_equal(encoded(unit(codes), "i8"), codes)
