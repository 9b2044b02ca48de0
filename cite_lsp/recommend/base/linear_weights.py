"""Weights of a few signs, added to what the trees say: fitted by a recipe, read from its folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp.recommend.base.ranker import RankerError


def read_weights(folder: Path, signs: Sequence[str]) -> NDArray[np.float32]:
    """Read the weights of signs in the `config.json` of a folder, shape (s,).

    Raises:
        RankerError: it is missing or broken.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return np.array([float(config["weights"][name]) for name in signs], dtype=np.float32)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RankerError(
            f"{folder}: the weights cannot be read ({error}); reinstall cite-lsp"
        ) from error
