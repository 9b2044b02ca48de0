"""Trees of LightGBM as an ONNX graph: the same scores, whatever is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.encode.kinds.onnx_session import open_session
from cite_lsp.train.rankers.trees import averaged, save_onnx, thresholds_in_float32, to_onnx

lightgbm = pytest.importorskip("lightgbm", reason="needs the train extra")
pytest.importorskip("onnx", reason="needs the train extra")

NAMES = ["whole", "holed", "flag", "count"]


def table(rows: int, seed: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return features as float32; in the second column a third is missing."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.normal(size=rows),
        np.where(rng.random(rows) < 0.3, np.nan, rng.normal(size=rows)),
        rng.integers(0, 2, rows),
        rng.integers(-4, 9, rows),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def booster(features: np.ndarray[Any, Any], **parameters: object) -> Any:  # noqa: ANN401
    target = (
        np.nan_to_num(features[:, 0]) * features[:, 2]
        + np.where(np.isnan(features[:, 1]), 2.0, features[:, 1])
        - features[:, 3] / 3
    )
    settings = {"objective": "regression", "num_leaves": 12, "verbosity": -1, "num_threads": 1}
    categories = parameters.pop("categories", "auto")
    data = lightgbm.Dataset(features, target, feature_name=NAMES, categorical_feature=categories)
    return lightgbm.train(settings | parameters, data, num_boost_round=25)


def run(path: Path, features: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    scores: np.ndarray[Any, Any] = open_session(path).run(None, {"features": features})[0]
    assert scores.shape == (len(features), 1)
    return scores[:, 0]


def test_the_graph_scores_as_lightgbm_does(tmp_path: Path) -> None:
    trees = booster(table(3000, 1))
    save_onnx(trees.dump_model(), NAMES, tmp_path / "new" / "model.onnx")
    fresh = table(2000, 2)
    scores = run(tmp_path / "new" / "model.onnx", fresh)
    np.testing.assert_allclose(scores, trees.predict(fresh), atol=2e-5)
    assert scores.std() > 0.5


def test_what_was_never_missing_in_training_may_be_missing_later(tmp_path: Path) -> None:
    trees = booster(table(3000, 1))
    save_onnx(trees.dump_model(), NAMES, tmp_path / "model.onnx")
    fresh = table(2000, 2)
    fresh[np.random.default_rng(3).random(fresh.shape) < 0.3] = np.nan
    np.testing.assert_allclose(run(tmp_path / "model.onnx", fresh), trees.predict(fresh), atol=2e-5)


def test_values_that_stand_on_a_threshold_go_the_same_way(tmp_path: Path) -> None:
    trees = booster(table(3000, 1))
    save_onnx(trees.dump_model(), NAMES, tmp_path / "model.onnx")
    splits = [
        (node["split_feature"], node["threshold"])
        for tree in trees.dump_model()["tree_info"]
        for node in inner_nodes(tree["tree_structure"])
        if abs(node["threshold"]) > 1e-30  # LightGBM takes anything smaller for 0
    ]
    fresh = table(len(splits) * 3, 4)
    for number, (feature, threshold) in enumerate(splits):
        at = np.float32(threshold)
        around = (np.nextafter(at, np.float32(-np.inf)), at, np.nextafter(at, np.float32(np.inf)))
        fresh[3 * number : 3 * number + 3, feature] = around
    np.testing.assert_allclose(run(tmp_path / "model.onnx", fresh), trees.predict(fresh), atol=2e-5)


def inner_nodes(node: dict[str, Any]) -> list[dict[str, Any]]:
    if "leaf_value" in node:
        return []
    return [node, *inner_nodes(node["left_child"]), *inner_nodes(node["right_child"])]


def test_a_tree_that_found_nothing_to_split_is_one_leaf(tmp_path: Path) -> None:
    features = table(200, 1)
    trees = booster(features, min_data_in_leaf=1000)
    save_onnx(trees.dump_model(), NAMES, tmp_path / "model.onnx")
    np.testing.assert_allclose(
        run(tmp_path / "model.onnx", features), trees.predict(features), atol=2e-5
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"categories": ["count"]}, "a split of kind"),
        ({"zero_as_missing": True}, "zeros that stand for missing"),
    ],
)
def test_what_the_graph_cannot_say_is_refused(parameters: dict[str, Any], message: str) -> None:
    features = table(2000, 1)
    features[:, 3] += 4  # categories are not negative
    with pytest.raises(ValueError, match=message):
        to_onnx(booster(features, **parameters).dump_model(), NAMES)


def test_the_graph_names_its_features() -> None:
    model = to_onnx(booster(table(500, 1)).dump_model(), NAMES)
    assert {entry.key: entry.value for entry in model.metadata_props} == {
        "features": ",".join(NAMES)
    }


@given(st.floats(-(2.0**100), 2.0**100), st.floats(-(2.0**100), 2.0**100, width=32))
def test_a_rounded_threshold_decides_as_the_exact_one(threshold: float, value: float) -> None:
    rounded = thresholds_in_float32(threshold)
    assert float(np.float32(rounded)) == rounded
    assert (value <= threshold) == (np.float32(value) <= np.float32(rounded))


def test_the_mean_of_several_boosters_is_one_graph(tmp_path: Path) -> None:
    several = [booster(table(800, seed), num_leaves=4 + seed) for seed in (1, 2, 3)]
    save_onnx(
        averaged([booster.dump_model() for booster in several]), NAMES, tmp_path / "model.onnx"
    )
    fresh = table(500, 4)
    mean = np.mean([booster.predict(fresh) for booster in several], axis=0)
    np.testing.assert_allclose(run(tmp_path / "model.onnx", fresh), mean, atol=2e-5)


def test_trees_fitted_on_top_of_others_are_one_graph_with_a_share_of_those(tmp_path: Path) -> None:
    base, top = (booster(table(800, seed), num_leaves=5 + seed) for seed in (1, 2))
    save_onnx(base.dump_model(), NAMES, tmp_path / "base.onnx")
    count = save_onnx(
        top.dump_model(), NAMES, tmp_path / "both.onnx", on=(tmp_path / "base.onnx", 0.25)
    )
    assert count == 50
    fresh = table(500, 4)
    both = top.predict(fresh) + 0.25 * base.predict(fresh)
    np.testing.assert_allclose(run(tmp_path / "both.onnx", fresh), both, atol=2e-5)
