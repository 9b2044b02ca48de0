"""How near papers are to those that a section cites."""

from __future__ import annotations

import numpy as np

from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.similarity import cached_similarity_to_cited, similarity_to_cited


def test_what_is_remembered_holds_for_the_vectors_of_now(pool: Pool) -> None:
    generator = np.random.default_rng(1)
    shape = len(pool.papers), 4
    for _ in range(20):  # an array may lie where one lay that is gone
        pool.take_vectors(np.zeros(shape, np.float32), generator.random(shape, np.float32))
        assert pool.full_vectors is not None
        expected = similarity_to_cited(pool.full_vectors, [0, 2])
        np.testing.assert_array_equal(cached_similarity_to_cited(pool, [2, 0, 2]), expected)


def test_the_same_section_costs_once(pool: Pool) -> None:
    vectors = np.eye(len(pool.papers), dtype=np.float32)
    pool.take_vectors(vectors, vectors)
    first = cached_similarity_to_cited(pool, [1, 3])
    assert (
        cached_similarity_to_cited(pool, [3, 1]) is first
        and cached_similarity_to_cited(pool, [3]) is not first
    )
