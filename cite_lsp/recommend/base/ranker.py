"""The Ranker: boosted trees that score rows of features, run by ONNX Runtime."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cite_lsp.encode.encoder import EncoderError
from cite_lsp.encode.kinds.onnx_session import open_session
from cite_lsp.errors import CiteLspError
from cite_lsp.recommend.base.threads import LazyThreads
from cite_lsp.storage.compressed_files import content

TREES = "model.onnx.zst"
"""The file of boosted trees, an ONNX graph, compressed to a sixth."""
_ROWS_TO_SPLIT = 200
"""Rows from which on two threads share the work: 100 rows take half a millisecond."""
SECOND_THREAD = LazyThreads(1, "ranker")
"""Opens a ranker that will be needed soon, and scores half of many rows."""


class RankerError(CiteLspError):
    """A model that ranks cannot be used; the message says which one, why and what to do."""


@contextmanager
def model_config(folder: Path, called: str) -> Iterator[dict[str, Any]]:
    """Lend what the `config.json` of a model says, while the model is read.

    Raises:
        RankerError: it cannot be read, nor what is read meanwhile; the model is `called` so.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if not isinstance(config, dict):
            raise ValueError("no object")
        yield config
    except (OSError, ValueError, KeyError, TypeError, EncoderError) as error:
        raise RankerError(
            f"{folder}: {called} cannot be read ({error}); reinstall cite-lsp"
        ) from error


class Ranker:
    """Boosted trees over rows of features (LambdaMART, Burges 2010)."""

    def __init__(self, folder: Path, features: Sequence[str], *, recipe: str) -> None:
        """Load the trees and `config.json` from a folder; `recipe` is what trained them.

        Raises:
            RankerError: a file is missing or broken, or the features are not those of this version.
        """
        with model_config(folder, "the ranker") as config:
            self._session = open_session(folder / TREES)
            self._temperature = float(config.get("temperature", 1.0))
        self._path = folder / TREES
        self.checkpoint = str(config.get("checkpoint", ""))
        """The encoder whose vectors the features need, "" if they need none in particular."""
        if tuple(config.get("features", ())) != tuple(features):
            raise RankerError(
                f"{folder}: the ranker was trained for other features; train it again with "
                f"`cite-lsp train {recipe}`"
            )

    @property
    def fingerprint(self) -> str:
        """The sha256 of its trees."""
        return hashlib.sha256(content(self._path)).hexdigest()

    def score(self, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Score rows of features, shape (r, f) to (r,); higher is better, the scale is free."""
        if not len(matrix):
            return np.zeros(0, dtype=np.float32)
        if len(matrix) < _ROWS_TO_SPLIT or (os.cpu_count() or 1) < 2:
            return self._run(matrix)
        first, second = np.array_split(matrix, 2)
        task = SECOND_THREAD.submit(self._run, second)
        scores = self._run(first)
        # If the other thread has not begun yet, this one does its half.
        others = self._run(second) if task.cancel() else task.result()
        return np.concatenate([scores, others])

    def _run(self, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = self._session.run(None, {"features": matrix})[0][:, 0]
        return scores

    def logits(self, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the logarithms of probabilities up to a constant, shape (r, f) to (r,).

        The temperature was fitted on held-out drafts (Guo et al. 2017).
        """
        return np.asarray(self.score(matrix) / self._temperature, dtype=np.float32)

    def probabilities(self, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Turn the scores of one pool into probabilities, shape (r, f) to (r,); see `softmax`."""
        return softmax(self.logits(matrix))


def softmax(logits: NDArray[np.float32], *, rest: float = -np.inf) -> NDArray[np.float32]:
    """Return the probabilities of logits, shape (r,).

    They sum to 1, or to less where all logits fall short of `rest`: then probably none of the
    candidates is right.
    """
    if not len(logits):
        return logits
    greatest = max(float(logits.max()), rest)
    weights = np.exp(logits - greatest)
    least = np.exp(rest - greatest)
    return np.asarray(weights / max(float(weights.sum()), float(least)), dtype=np.float32)


def read_weights(folder: Path, features: Sequence[str]) -> NDArray[np.float32]:
    """Read the weights of features from the `config.json` of a folder, shape (f,).

    Raises:
        RankerError: it is missing or broken.
    """
    with model_config(folder, "the weights") as config:
        return np.array([float(config["weights"][name]) for name in features], dtype=np.float32)
