"""Training a head: a linear map of vectors that a base encoder has made, the base held still.

The triplets are those that whole encoders are trained on (`sampling.py`) and so is the loss; but
every text is embedded once, whatever the number of epochs and of negatives, so that what takes a
GPU otherwise takes a CPU a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.encode.kinds.hierarchical import LENGTH
from cite_lsp.train.data.sampling import Example
from cite_lsp.train.encoders import batch_learning
from cite_lsp.train.encoders.batch_learning import EarlyStop, RunResult
from cite_lsp.train.encoders.losses import MARGIN
from cite_lsp.train.run.report import Progress, TrainingError, require

if TYPE_CHECKING:
    import torch

Matrix = NDArray[np.float32]
"""A head, shape (dimensions of the base, dimensions)."""
Measure = Callable[[Matrix], dict[str, float]]
"""Figures of a head on development data."""
Triplets = NDArray[np.int64]
"""Rows of vectors, shape (examples, 1 + positives + negatives): anchor, positives, negatives."""


@frozen
class HeadSettings:
    """How long and how fast to learn."""

    epochs: int = 10
    batch: int = 64
    learning_rate: float = 3e-4
    patience: int = 4
    seed: int = 13


def fit(
    vectors: Vectors,
    triplets: Triplets,
    measure: Measure,
    settings: HeadSettings,
    progress: Progress = lambda stage, done, total: None,
    *,
    positives: int = 1,
) -> tuple[Matrix, RunResult]:
    """Fit a head by the triplet loss, max(‖a − p‖ − ‖a − n‖ + 1, 0) on vectors of one length.

    It is measured after every epoch; the best head is returned, which may be the identity, and the
    figures of both.

    Args:
        vectors: unit rows of the base, shape (m, d).
        triplets: what is learned from.
        measure: returns the figures of a head; the greatest MRR@10 wins.
        settings: how long and how fast.
        progress: called as the run proceeds, in steps.
        positives: how many of each example there are.

    Raises:
        TrainingError: there is nothing to learn from, or torch is missing.
    """
    if not len(triplets):
        raise TrainingError(
            "the contexts cite none of the papers; check that both name papers by the same ids"
        )
    require("torch")
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    torch.manual_seed(settings.seed)
    rng = torch.Generator().manual_seed(settings.seed)
    width = vectors.shape[1]
    base, rows = torch.from_numpy(vectors), torch.from_numpy(triplets)
    head = torch.nn.Parameter(torch.eye(width))

    def epoch(_: int) -> list[torch.Tensor]:
        order = torch.randperm(len(rows), generator=rng)
        return list(torch.split(order, settings.batch))

    def matrix() -> Matrix:
        return head.detach().numpy().astype(np.float32)

    result = batch_learning.fit(
        torch.optim.Adam([head], lr=settings.learning_rate),
        epoch,
        lambda batch: _loss(base[rows[batch]] @ head, positives),
        lambda: measure(matrix()),
        EarlyStop(settings.epochs, patience=settings.patience),
        progress,
        examples=len(triplets),
    )
    return matrix(), result


def head_triplets(
    examples: Iterable[Example], row_of: Mapping[str, int], positives: int, negatives: int
) -> Triplets:
    """Lay examples out as rows of vectors; those that lack a text are left out."""
    rows = [
        [row_of[name] for name in (example.anchor, *example.positives, *example.negatives)]
        for example in examples
        if len(example.positives) == positives and len(example.negatives) == negatives
    ]
    return np.array(rows, dtype=np.int64).reshape(len(rows), 1 + positives + negatives)


def _loss(vectors: torch.Tensor, positives: int) -> Any:  # noqa: ANN401 - a scalar tensor
    """Return the loss of examples laid out as (batch, 1 + positives + negatives, d), averaged."""
    import torch

    vectors = torch.nn.functional.normalize(vectors, dim=2)
    distances = torch.linalg.vector_norm(vectors[:, :1] - vectors[:, 1:], dim=2)
    near, far = distances[:, :positives, None], distances[:, None, positives:]
    return torch.relu(near - far + MARGIN / LENGTH).mean()
