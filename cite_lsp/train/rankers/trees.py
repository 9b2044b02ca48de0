"""Rankers of boosted trees: what recipes fit, several boosters that rank as one, written as ONNX.

The product needs no LightGBM to run them. The graph is one `TreeEnsembleRegressor`: input
`features` [n, f] float32, output `score` [n, 1]. Missing values (NaN) go where LightGBM sends them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.recommend.base.ranker import TREES
from cite_lsp.storage import compressed_files
from cite_lsp.train.rankers.groups import Groups, fit_temperature, ranking_figures
from cite_lsp.train.run.card import Card, Origin, gains_line, write_config
from cite_lsp.train.run.report import Figures

if TYPE_CHECKING:
    from lightgbm import Booster
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
    for number, node in enumerate(waiting):  # grows while it is walked
        leaf = "leaf_value" in node
        missing_left = not leaf and _missing_left(node)
        columns["nodes_treeids"].append(tree)
        columns["nodes_nodeids"].append(number)
        columns["nodes_modes"].append("LEAF" if leaf else "BRANCH_LEQ")
        columns["nodes_featureids"].append(0 if leaf else node["split_feature"])
        threshold = 0.0 if leaf else thresholds_in_float32(node["threshold"])
        columns["nodes_values"].append(threshold)
        columns["nodes_missing_value_tracks_true"].append(int(missing_left))
        columns["nodes_truenodeids"].append(0 if leaf else len(waiting))
        columns["nodes_falsenodeids"].append(0 if leaf else len(waiting) + 1)
        if leaf:
            columns["target_treeids"].append(tree)
            columns["target_nodeids"].append(number)
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

    attributes = {attribute.name: attribute for attribute in model.graph.node[0].attribute}
    trees = count_trees(model)
    for attribute in onnx.load_from_string(compressed_files.content(other)).graph.node[0].attribute:
        if attribute.name in ("nodes_treeids", "target_treeids"):
            attributes[attribute.name].ints.extend(tree + trees for tree in attribute.ints)
        elif attribute.name == "target_weights":
            attributes[attribute.name].floats.extend(share * weight for weight in attribute.floats)
        elif attribute.name in _ATTRIBUTES:
            for values in ("ints", "floats", "strings"):
                getattr(attributes[attribute.name], values).extend(getattr(attribute, values))


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
    compressed_files.write(path, model.SerializeToString())
    return count_trees(model)


_EVERYWHERE = {"bagging_freq": 1, "verbosity": -1, "deterministic": True, "force_row_wise": True}
"""LightGBM's parameters that are the same for all boosters."""


@frozen
class Bag:
    """Boosters fitted to the same features, of these names, with different seeds."""

    boosters: Sequence[Booster]
    features: Sequence[str]

    def score(self, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
        """Score rows of features, shape (r, f) to (r,)."""
        scores = [booster.predict(matrix) for booster in self.boosters]
        return np.asarray(np.mean(scores, axis=0), dtype=np.float64)

    def save(self, path: Path, on: tuple[Path, float] | None = None) -> int:
        """Write the ONNX graph of the mean; returns how many trees it has.

        `on` is the graph that it is fitted on top of, and how much the score of that counts.

        Raises:
            ValueError: a tree has no ONNX form, see `to_onnx`.
            OSError: the file cannot be written, or that of `on` not be read.
        """
        trees = averaged([booster.dump_model() for booster in self.boosters])
        return save_onnx(trees, list(self.features), path, on)

    def gains(self) -> dict[str, float]:
        """Return the share of each feature in what the splits gain, greatest first."""
        gains = np.sum([booster.feature_importance("gain") for booster in self.boosters], axis=0)
        total = max(float(gains.sum()), 1e-9)  # trees without a split gain nothing
        pairs = sorted(zip(self.features, gains, strict=True), key=lambda pair: -pair[1])
        return {name: round(float(gain / total), 4) for name, gain in pairs}


@frozen
class TreeRanker:
    """A ranker of trees as a recipe fits it: LambdaMART (Burges 2010; LightGBM) over features.

    It is the mean of `bags` boosters of different seeds, because a single one depends more on
    chance, with LightGBM's further `parameters`, and of so many trees each. With `patience` a
    booster ends where the metric that the parameters name has not risen for so many trees on the
    groups held out.
    """

    name: str
    features: Sequence[str]
    parameters: Mapping[str, Any]
    rounds: int
    bags: int
    patience: int = 0

    def fit(self, learned: Groups, held_out: Groups | None = None, *, seed: int) -> Bag:
        """Fit the boosters."""
        seeds = range(seed, seed + self.bags)
        return Bag([_fit(self, learned, held_out, bag_seed) for bag_seed in seeds], self.features)

    def train(
        self,
        learned: Groups,
        held_out: Groups,
        out: Path,
        about: Mapping[str, Any],
        *,
        seed: int,
        on: tuple[Path, float] | None = None,
    ) -> dict[str, Any]:
        """Fit the boosters, write the trees and `config.json`; returns what the latter says.

        That is what is said `about` their making, the temperature of the softmax over their scores,
        how many groups they learned from and are measured on, hit@1, hit@5 and MRR of those that
        are held out, and what the splits gain by each feature. For `on` see `Bag.save`.

        Raises:
            OSError: `out` cannot be written.
        """
        bag = self.fit(learned, held_out, seed=seed)
        scores = bag.score(held_out.features)
        if held_out.start is not None:
            scores += held_out.start
        config = {
            "name": self.name,
            "features": list(self.features),
            **about,
            "seed": seed,
            "trees": bag.save(out / TREES, on),
            "temperature": round(fit_temperature(scores, held_out), 4),
            "train_groups": int(len(learned.sizes)),
            "dev_groups": int(len(held_out.sizes)),
            "dev": ranking_figures(scores, held_out),
            "gain": bag.gains(),
        }
        write_config(out, config)
        return config


def write_card(
    card: Card,
    folder: Path,
    origin: Origin,
    config: Mapping[str, Any],
    unit: str,
    gains: int = 8,
    **facts: Any,  # noqa: ANN401 - whatever can be written out
) -> list[Figures]:
    """Write the card beside a ranker with this `config.json`; returns the figures in it.

    `unit` says what its groups are, `gains` of how many features the card has what they gain, and
    `facts` are what else it has.
    """
    figures = [Figures({f"{config['dev_groups']:,} {unit}": config["dev"]}, heading="held out")]
    facts |= {"width": len(config["features"]), "gains": gains_line(config, gains)}
    return card.write(folder, origin, figures, **config, **facts)


def _fit(ranker: TreeRanker, learned: Groups, held_out: Groups | None, seed: int) -> Booster:
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import lightgbm

    parameters = {**_EVERYWHERE, **ranker.parameters, "seed": seed}
    data = lightgbm.Dataset(
        learned.features,
        learned.relevance,
        group=learned.sizes,
        weight=learned.weights,
        init_score=learned.start,
        feature_name=list(ranker.features),
        params={name: parameters[name] for name in ("max_bin",) if name in parameters},
    )
    if held_out is None or not ranker.patience:
        return lightgbm.train(parameters, data, num_boost_round=ranker.rounds)
    check = lightgbm.Dataset(
        held_out.features,
        held_out.relevance,
        group=held_out.sizes,
        init_score=held_out.start,
        reference=data,
    )
    return lightgbm.train(
        parameters,
        data,
        num_boost_round=ranker.rounds,
        valid_sets=[check],
        callbacks=[lightgbm.early_stopping(ranker.patience, verbose=False)],
    )
