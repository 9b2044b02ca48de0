"""Weights of a few features, added to the logits of the trees: read from a model folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp.recommend.base.ranker import RankerError


def read_weights(folder: Path, features: Sequence[str]) -> NDArray[np.float32]:
    """Read the weights of features from the `config.json` of a folder, shape (f,).

    Raises:
        RankerError: it is missing or broken.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return np.array([float(config["weights"][name]) for name in features], dtype=np.float32)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RankerError(
            f"{folder}: the weights cannot be read ({error}); reinstall cite-lsp"
        ) from error
