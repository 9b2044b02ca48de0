"""LightGBM trees as an ONNX graph, so that the product needs no LightGBM to run them.

The graph is one `TreeEnsembleRegressor`: input `features` [n, f] float32, output `score` [n, 1].
Missing values (NaN) go where LightGBM sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cite_lsp.storage import packed_files

if TYPE_CHECKING:
    from onnx import ModelProto

_ATTRIBUTES = (
    "nodes_treeids nodes_nodeids nodes_featureids nodes_values nodes_modes nodes_truenodeids "
    "nodes_falsenodeids nodes_missing_value_tracks_true target_treeids target_nodeids target_ids "
    "target_weights"
).split()


def thresholds_in_float32(threshold: float) -> float:
    """Round a double threshold down to float32, so that `x <= t` decides the same for float32 x."""
    with np.errstate(over="ignore"):  # a split on missing values alone has a limit past float32
        rounded = np.float32(threshold)
    if float(rounded) > threshold:
        rounded = np.nextafter(rounded, np.float32(-np.inf))
    return float(rounded)


def to_onnx(dump: dict[str, Any], names: list[str]) -> ModelProto:
    """Turn `Booster.dump_model()` into an ONNX model.

    Raises:
        ValueError: the booster splits on categories or takes 0 for missing, which the graph cannot.
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    from onnx import TensorProto, helper

    columns: dict[str, list[Any]] = {name: [] for name in _ATTRIBUTES}
    for tree, info in enumerate(dump["tree_info"]):
        _add_tree(columns, tree, info["tree_structure"])
    attributes: dict[str, Any] = {
        "n_targets": 1,
        "aggregate_function": "SUM",
        "post_transform": "NONE",
        **columns,
    }
    node = helper.make_node(
        "TreeEnsembleRegressor", ["features"], ["score"], domain="ai.onnx.ml", **attributes
    )
    graph = helper.make_graph(
        [node],
        "trees",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, len(names)])],
        [helper.make_tensor_value_info("score", TensorProto.FLOAT, [None, 1])],
    )
    model = helper.make_model(
        graph,
        producer_name="cite-lsp",
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)],
        ir_version=8,
    )
    entry = model.metadata_props.add()
    entry.key, entry.value = "features", ",".join(names)
    return model


def _add_tree(columns: dict[str, list[Any]], tree: int, root: dict[str, Any]) -> None:
    waiting = [root]
    for own, node in enumerate(waiting):  # grows while it is walked
        leaf = "leaf_value" in node
        missing_left = not leaf and _missing_left(node)
        columns["nodes_treeids"].append(tree)
        columns["nodes_nodeids"].append(own)
        columns["nodes_modes"].append("LEAF" if leaf else "BRANCH_LEQ")
        columns["nodes_featureids"].append(0 if leaf else node["split_feature"])
        threshold = 0.0 if leaf else thresholds_in_float32(node["threshold"])
        columns["nodes_values"].append(threshold)
        columns["nodes_missing_value_tracks_true"].append(int(missing_left))
        columns["nodes_truenodeids"].append(0 if leaf else len(waiting))
        columns["nodes_falsenodeids"].append(0 if leaf else len(waiting) + 1)
        if leaf:
            columns["target_treeids"].append(tree)
            columns["target_nodeids"].append(own)
            columns["target_ids"].append(0)
            columns["target_weights"].append(float(node["leaf_value"]))
        else:
            waiting += [node["left_child"], node["right_child"]]


def _missing_left(node: dict[str, Any]) -> bool:
    """Return whether NaN goes left; where none was seen in training LightGBM takes it for 0."""
    if node["decision_type"] != "<=":
        raise ValueError(f"a split of kind {node['decision_type']!r} has no ONNX form here")
    if node["missing_type"] == "NaN":
        return bool(node["default_left"])
    if node["missing_type"] == "None":
        return bool(node["threshold"] >= 0.0)
    raise ValueError("zeros that stand for missing values have no ONNX form here")


def averaged(dumps: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the dump of a booster whose scores are the mean of those of several."""

    def shared(node: dict[str, Any]) -> dict[str, Any]:
        if "leaf_value" in node:
            return node | {"leaf_value": node["leaf_value"] / len(dumps)}
        return node | {side: shared(node[side]) for side in ("left_child", "right_child")}

    trees = [
        info | {"tree_structure": shared(info["tree_structure"])}
        for dump in dumps
        for info in dump["tree_info"]
    ]
    return dict(dumps[0]) | {"tree_info": trees}


def add_trees(model: ModelProto, other: Path, share: float) -> None:
    """Add the trees of a graph in a file to a model, which scores by both; `share` of theirs.

    Both are of the form that `to_onnx` makes.

    Raises:
        OSError, PackedFileError: the file cannot be read.
    """
    import onnx

    own = {attribute.name: attribute for attribute in model.graph.node[0].attribute}
    trees = count_trees(model)
    for attribute in onnx.load_from_string(packed_files.content(other)).graph.node[0].attribute:
        if attribute.name in ("nodes_treeids", "target_treeids"):
            own[attribute.name].ints.extend(tree + trees for tree in attribute.ints)
        elif attribute.name == "target_weights":
            own[attribute.name].floats.extend(share * weight for weight in attribute.floats)
        elif attribute.name in _ATTRIBUTES:
            for values in ("ints", "floats", "strings"):
                getattr(own[attribute.name], values).extend(getattr(attribute, values))


def count_trees(model: ModelProto) -> int:
    """Return how many trees a model of the form that `to_onnx` makes has."""
    names = {attribute.name: attribute for attribute in model.graph.node[0].attribute}
    return max(names["nodes_treeids"].ints, default=-1) + 1


def save_onnx(
    dump: dict[str, Any], names: list[str], path: Path, on: tuple[Path, float] | None = None
) -> int:
    """Write the trees to `path`, compressed if its name says so; returns how many they are.

    `on` is the graph that they are fitted on top of, whose trees are added, and how much the score
    of that counts.

    Raises:
        ValueError: see `to_onnx`.
        OSError: the file cannot be written, or that of `on` not be read.
    """
    model = to_onnx(dump, names)
    if on is not None:
        add_trees(model, *on)
    path.parent.mkdir(parents=True, exist_ok=True)
    packed_files.write(path, model.SerializeToString())
    return count_trees(model)
