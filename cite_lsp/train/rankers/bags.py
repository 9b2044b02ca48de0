"""Rankers of boosted trees: what recipes fit and write, several boosters that rank as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.recommend.base.ranker import TREES
from cite_lsp.train.rankers.groups import Groups, fit_temperature, ranking_figures
from cite_lsp.train.rankers.trees import averaged, save_onnx
from cite_lsp.train.run.card import Card, Origin, gains_line, write_config
from cite_lsp.train.run.figures import Figures

if TYPE_CHECKING:
    from lightgbm import Booster

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
        return Bag([_fit(self, learned, held_out, own) for own in seeds], self.features)

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
    card.write(folder, origin, figures, **config, **facts)
    return figures


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
