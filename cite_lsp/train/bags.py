"""Several boosters that rank as one: the mean of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.train.trees import averaged, save_onnx

if TYPE_CHECKING:
    from lightgbm import Booster


@frozen
class Bag:
    """Boosters fitted to the same features, of these names, with different seeds."""

    boosters: Sequence[Booster]
    features: Sequence[str]

    def score(self, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
        """Score rows of features, shape (r, f) to (r,)."""
        scores = [booster.predict(matrix) for booster in self.boosters]
        return np.asarray(np.mean(scores, axis=0), dtype=np.float64)

    def save(self, path: Path) -> int:
        """Write the ONNX graph of the mean; returns how many trees it has.

        Raises:
            ValueError: a tree has no ONNX form, see `to_onnx`.
            OSError: the file cannot be written.
        """
        trees = averaged([booster.dump_model() for booster in self.boosters])
        save_onnx(trees, list(self.features), path)
        return len(trees["tree_info"])

    def gains(self) -> dict[str, float]:
        """Return the share of each feature in what the splits gain, greatest first."""
        gains = np.sum([booster.feature_importance("gain") for booster in self.boosters], axis=0)
        total = max(float(gains.sum()), 1e-9)  # trees without a split gain nothing
        pairs = sorted(zip(self.features, gains, strict=True), key=lambda pair: -pair[1])
        return {name: round(float(gain / total), 4) for name, gain in pairs}
