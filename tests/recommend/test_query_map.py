"""The linear map from what a context says to where its papers lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.recommend.query_map import PARTS, PLAIN, QueryMap, QueryMapError, plain_query, unit

WIDTH = 5


def random_map(seed: int = 1) -> QueryMap:
    dice = np.random.default_rng(seed)
    return QueryMap(
        dice.standard_normal(PARTS).astype(np.float32),
        dice.standard_normal((PARTS, WIDTH, WIDTH)).astype(np.float32),
        dice.standard_normal(WIDTH).astype(np.float32),
    )


def by_hand(query_map: QueryMap, vectors: np.ndarray) -> list[float]:
    """Σ_p w_p x_p + Σ_p x_p M_p + b, one coordinate after the other, scaled to length 1."""
    total = []
    for out in range(WIDTH):
        value = float(query_map.bias[out])
        for part in range(PARTS):
            value += float(query_map.weights[part] * vectors[part, out])
            for inside in range(WIDTH):
                value += float(vectors[part, inside] * query_map.maps[part, inside, out])
        total.append(value)
    length = sum(value**2 for value in total) ** 0.5
    return [value / length for value in total]


def test_a_context_is_mapped_by_the_formula() -> None:
    vectors = np.random.default_rng(2).standard_normal((PARTS, WIDTH)).astype(np.float32)
    found = random_map()(vectors)
    assert found.shape == (WIDTH,) and found.dtype == np.float32
    assert found.tolist() == pytest.approx(by_hand(random_map(), vectors), abs=1e-5)


def test_many_contexts_are_mapped_as_each_alone() -> None:
    vectors = np.random.default_rng(3).standard_normal((7, PARTS, WIDTH)).astype(np.float32)
    together = random_map()(vectors)
    assert together.shape == (7, WIDTH)
    np.testing.assert_allclose(together, [random_map()(one) for one in vectors], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_a_map_that_learned_nothing_gives_the_plain_query() -> None:
    nothing = QueryMap(
        np.array(PLAIN, np.float32), np.zeros((PARTS, WIDTH, WIDTH), np.float32), np.zeros(WIDTH)
    )
    vectors = np.random.default_rng(4).standard_normal((2, PARTS, WIDTH)).astype(np.float32)
    np.testing.assert_allclose(nothing(vectors), plain_query(vectors), atol=1e-6)
    mixed = vectors[0, 0] + 0.5 * vectors[0, 1] + 0.2 * vectors[0, 2]
    np.testing.assert_allclose(plain_query(vectors)[0], mixed / np.linalg.norm(mixed), atol=1e-6)


def test_a_row_of_nothing_stays_nothing() -> None:
    rows = unit(np.array([[0.0, 0.0], [3.0, 4.0]]))
    np.testing.assert_allclose(rows, [[0, 0], [0.6, 0.8]], atol=1e-6)


def test_a_saved_map_maps_the_same_up_to_sixteen_bits(tmp_path: Path) -> None:
    path = tmp_path / "map.safetensors"
    random_map().save(path)
    opened = QueryMap.open(path)
    vectors = np.random.default_rng(5).standard_normal((9, PARTS, WIDTH)).astype(np.float32)
    np.testing.assert_allclose(opened(vectors), random_map()(vectors), atol=5e-3)
    assert opened.maps.dtype == np.float32


@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "of another kind"])
def test_a_map_that_cannot_be_read_is_an_error_of_one_line(tmp_path: Path, damage: str) -> None:
    from safetensors.numpy import save_file

    path = tmp_path / "map.safetensors"
    random_map().save(path)
    if damage == "gone":
        path.unlink()
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-9])
    else:
        save_file({"weights": np.zeros(3, np.float32)}, path)
    with pytest.raises(QueryMapError, match="reinstall cite-lsp") as caught:
        QueryMap.open(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
