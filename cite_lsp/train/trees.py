"""LightGBM trees as an ONNX graph, so that the product needs no LightGBM to run them.

The graph is one `TreeEnsembleRegressor`: input `features` [n, f] float32, output `score` [n, 1]. Missing
values (NaN) follow the branch that LightGBM learned for them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def thresholds_in_float32(threshold: float) -> float:
    """Round a double threshold down to float32, so that `x <= t` decides the same for float32 x."""
    rounded = np.float32(threshold)
    if float(rounded) > threshold:
        rounded = np.nextafter(rounded, np.float32(-np.inf))
    return float(rounded)


def to_onnx(dump: dict[str, Any], names: list[str]) -> Any:
    """Turn `Booster.dump_model()` into an ONNX model.

    Raises:
        ValueError: the booster splits on categories, which the graph does not carry.
    """
    from onnx import TensorProto, helper

    columns: dict[str, list[Any]] = {
        name: []
        for name in (
            "nodes_treeids nodes_nodeids nodes_featureids nodes_values nodes_modes "
            "nodes_truenodeids nodes_falsenodeids nodes_missing_value_tracks_true "
            "target_treeids target_nodeids target_ids target_weights"
        ).split()
    }

    for tree, info in enumerate(dump["tree_info"]):
        counter = 0

        def add(node: dict[str, Any], tree: int = tree) -> int:
            nonlocal counter
            own, counter = counter, counter + 1
            leaf = "leaf_value" in node
            if not leaf and node["decision_type"] != "<=":
                raise ValueError(f"a split of kind {node['decision_type']!r} has no ONNX form here")
            position = len(columns["nodes_nodeids"])
            columns["nodes_treeids"].append(tree)
            columns["nodes_nodeids"].append(own)
            columns["nodes_featureids"].append(0 if leaf else node["split_feature"])
            columns["nodes_values"].append(
                0.0 if leaf else thresholds_in_float32(node["threshold"])
            )
            columns["nodes_modes"].append("LEAF" if leaf else "BRANCH_LEQ")
            columns["nodes_missing_value_tracks_true"].append(
                int(not leaf and node["missing_type"] == "NaN" and node["default_left"])
            )
            columns["nodes_truenodeids"].append(0)
            columns["nodes_falsenodeids"].append(0)
            if leaf:
                columns["target_treeids"].append(tree)
                columns["target_nodeids"].append(own)
                columns["target_ids"].append(0)
                columns["target_weights"].append(float(node["leaf_value"]))
            else:
                columns["nodes_truenodeids"][position] = add(node["left_child"])
                columns["nodes_falsenodeids"][position] = add(node["right_child"])
            return own

        add(info["tree_structure"])

    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        ["score"],
        domain="ai.onnx.ml",
        n_targets=1,
        aggregate_function="SUM",
        post_transform="NONE",
        **columns,
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


def save_onnx(dump: dict[str, Any], names: list[str], path: Path) -> None:
    """Write the trees to `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(to_onnx(dump, names).SerializeToString())
