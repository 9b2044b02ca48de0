"""Hashes of words."""

from __future__ import annotations

import numpy as np

from cite_lsp.search.words.hashes import word_hash, word_hashes


def test_a_word_has_a_hash_that_is_never_zero_and_lists_of_them_are_ascending() -> None:
    assert word_hash("tide") == word_hash("tide") != word_hash("tides")
    result = word_hashes(["tide", "marsh", "tide"])
    assert result.tolist() == sorted({word_hash("tide"), word_hash("marsh")})
    assert result.dtype == np.uint32
    assert word_hashes([]).tolist() == []
