"""The losses of encoders: triplets of one positive, and of several that belong to a context.

Source: Zhang and Ma, "Recommending multiple positive citations for manuscript via content-dependent
modeling and multi-positive triplet" (2021). With the Euclidean distance d and the margin 1 of the
other recipes, h(a, p, n) = max(0, d(a, p) − d(a, n) + 1), a context c, its positives P and its
negatives N, the equations are taken to be:

    triplet (4)   the mean of h(c, p, n) over n ∈ N, for one p ∈ P
    mpt-src (5)   the mean of h(c, p, n) over p ∈ P, n ∈ N
    mpt-tgt (6)   the mean of h(p, q, n) over p, q ∈ P, p ≠ q, n ∈ N

each averaged over the contexts of a batch, the last over those with two positives; `mpt` is the sum
of the last two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cite_lsp.train.data.sampling import Example

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch import Tensor

MARGIN = 1.0
"""How much nearer than a negative the positive is to be (Tanaka et al., section 3.1)."""
Loss = Callable[["Tensor", "Tensor", "Tensor", "Tensor"], "Tensor"]
"""Takes contexts (b, d), papers (m, d), and the rows of each context's positives (b, p) and
negatives (b, n), filled up with -1."""


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


def loss_of(
    batch: Sequence[Example],
    texts: Mapping[str, str],
    encode: Callable[[Sequence[str]], Tensor],
    loss: Loss,
) -> Tensor:
    """Return the loss of a batch of examples, each of whose papers is encoded once.

    `texts` gives the texts of papers by id; `encode` makes vectors of texts, (n, d).
    """
    places: dict[str, int] = {}
    for example in batch:
        for name in (*example.positives, *example.negatives):
            places.setdefault(name, len(places))
    anchors = [texts.get(example.anchor, example.anchor) for example in batch]
    vectors = encode([*anchors, *map(texts.__getitem__, places)])
    positives, negatives = (
        padded([[places[name] for name in names] for names in column]).to(vectors.device)
        for column in zip(*((each.positives, each.negatives) for each in batch), strict=True)
    )
    return loss(vectors[: len(batch)], vectors[len(batch) :], positives, negatives)


def source_side(contexts: Tensor, papers: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
    """Return the loss that brings every positive nearer to its context than every negative.

    Equation 5; with one positive a context, equation 4. See `Loss` for what it takes.
    """
    near = _distances(contexts[:, None], papers[positives])
    far = _distances(contexts[:, None], papers[negatives])
    counted = (positives >= 0)[:, :, None] & (negatives >= 0)[:, None]
    return _mean(near[:, :, None] - far[:, None], counted)


def target_side(contexts: Tensor, papers: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
    """Return the loss that brings papers cited together nearer to each other than to negatives.

    Equation 6; 0 where no context has two positives. See `Loss` for what it takes.
    """
    # Imported where needed: an extra has it, and loading it takes seconds.
    import torch

    cited = papers[positives]
    near = _distances(cited[:, :, None], cited[:, None])
    far = _distances(cited[:, :, None], papers[negatives][:, None])
    is_positive, width = positives >= 0, positives.shape[1]
    pairs = is_positive[:, :, None] & is_positive[:, None]
    pairs = pairs & ~torch.eye(width, dtype=torch.bool, device=positives.device)
    counted = pairs[:, :, :, None] & (negatives >= 0)[:, None, None]
    return _mean(near[:, :, :, None] - far[:, :, None], counted)


def both_sides(contexts: Tensor, papers: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
    """Return the sum of the two losses."""
    sides = (source_side, target_side)
    first, second = (side(contexts, papers, positives, negatives) for side in sides)
    return first + second


LOSSES: Mapping[str, Loss] = {
    "triplet": source_side,
    "mpt-src": source_side,
    "mpt-tgt": target_side,
    "mpt": both_sides,
}
"""By name; for `triplet` each positive of a context is an example of its own."""


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Return rows of numbers as a table filled up with -1."""
    import torch

    width = max(map(len, rows))
    filled = [[*row, *[-1] * (width - len(row))] for row in rows]
    return torch.tensor(filled, dtype=torch.long)


def _distances(first: Tensor, second: Tensor) -> Tensor:
    import torch

    distances: Tensor = torch.linalg.vector_norm(first - second, dim=-1)
    return distances


def _mean(differences: Tensor, counted: Tensor) -> Tensor:
    """Average hinges over those that count of each context, then over contexts that have any."""
    import torch

    hinges = torch.where(counted, (differences + MARGIN).clamp(min=0), 0).flatten(1).sum(dim=1)
    counts = counted.flatten(1).sum(dim=1)
    return (hinges / counts.clamp(min=1)).sum() / (counts > 0).sum().clamp(min=1)
