"""The losses of encoders, in the form that the trainer takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch import Tensor, nn

MARGIN = 1.0
"""How much nearer than a negative the positive is to be (Tanaka et al., section 3.1)."""


@contextmanager
def of_their_own_length(model: SentenceTransformer) -> Iterator[None]:
    """Leave vectors the lengths that pooling gives them while the block runs.

    A margin of 1 is meant for those (about 7 for means of MiniLM's tokens). Among unit vectors it
    would ask for papers that are not cited to lie opposite to the context, and training by it makes
    the bundled encoder worse with every step.
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    from sentence_transformers.sentence_transformer.modules import Normalize

    removed = []
    while isinstance(model[-1], Normalize):
        removed.append(model.pop(-1))
    try:
        yield
    finally:
        for layer in removed:
            model.append(layer)


def triplets(model: SentenceTransformer) -> nn.Module:
    """Return the triplet loss over anchor, positive and any number of negatives.

    max(‖a − p‖ − ‖a − n‖ + 1, 0) with the Euclidean distance, averaged over the negatives: the same
    as one triplet for each of them, without encoding any text anew.
    """
    from sentence_transformers.sentence_transformer.losses import TripletDistanceMetric, TripletLoss

    class Triplets(TripletLoss):
        """A triplet for every negative of a row."""

        def compute_loss_from_embeddings(self, embeddings: list[Tensor], labels: Tensor) -> Tensor:
            anchor, positive, *negatives = embeddings
            compute = super().compute_loss_from_embeddings
            parts: list[Tensor] = [
                compute([anchor, positive, negative], labels) for negative in negatives
            ]
            return sum(parts[1:], parts[0]) / len(parts)

    return Triplets(model, TripletDistanceMetric.EUCLIDEAN, MARGIN)
