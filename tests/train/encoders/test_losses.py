"""The losses of MP-BERT4CR, computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.torch

POSITIVES, NEGATIVES = [[0, 1], [2, -1]], [[3, 4], [4, -1]]
# To the first context 3 and 1, and 2 and 4 from negatives; to the second 3, and 3.
SOURCE = (((3 - 2 + 1) + (3 - 4 + 1) + (1 - 2 + 1) + 0) / 4 + (3 - 3 + 1)) / 2
# Between both positives 2; from the first to the negatives 5 and 1, from the second 3 and 3.
TARGET = (0 + (2 - 1 + 1) + (2 - 3 + 1) + (2 - 3 + 1)) / 4


def loss(name: str, positives: list[list[int]] = POSITIVES) -> float:
    torch = pytest.importorskip("torch")
    from cite_lsp.train.encoders.losses import LOSSES

    contexts = torch.tensor([[0.0, 0.0], [1.0, 0.0]], requires_grad=True)
    papers = torch.tensor([[3.0, 0], [1, 0], [1, 3], [-2, 0], [4, 0]], requires_grad=True)
    made: Any = LOSSES[name](contexts, papers, torch.tensor(positives), torch.tensor(NEGATIVES))
    made.backward()
    assert all(
        torch.isfinite(part.grad).all() for part in (contexts, papers) if part.grad is not None
    )
    return float(made.detach())


@pytest.mark.parametrize(
    ("name", "expected"),
    [("mpt-src", SOURCE), ("mpt-tgt", TARGET), ("mpt", SOURCE + TARGET)],
)
def test_a_loss_is_the_mean_of_the_hinges_of_each_context(name: str, expected: float) -> None:
    assert loss(name) == pytest.approx(expected)


def test_a_single_positive_has_triplets_with_its_context_alone() -> None:
    assert loss("triplet", [[0], [2]]) == pytest.approx(((2 + 0) / 2 + 1) / 2)
    assert loss("mpt-tgt", [[0], [2]]) == 0.0
