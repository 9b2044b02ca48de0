"""The losses of encoders, computed by hand."""

from __future__ import annotations

from collections.abc import Sequence
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


def test_a_batch_encodes_each_paper_once_and_averages_the_triplets_of_its_examples() -> None:
    torch = pytest.importorskip("torch")
    from cite_lsp.train.data.sampling import Example
    from cite_lsp.train.encoders.losses import LOSSES, loss_of

    texts = {name: name.upper() for name in "abcd"}
    batch = [
        Example("a text", ("a",), ("b", "c", "d")),
        Example("b", ("c",), ("a",)),  # an anchor that is a paper, and fewer negatives
    ]
    vectors = torch.randn(6, 3, generator=torch.Generator().manual_seed(1))
    read: list[str] = []

    def encode(encoded: Sequence[str]) -> Any:  # noqa: ANN401 - a tensor
        read.extend(encoded)
        return vectors

    measured = loss_of(batch, texts, encode, LOSSES["triplet"])
    assert read == ["a text", "B", "A", "B", "C", "D"]
    of = dict(zip(["text", "anchor", *"abcd"], vectors, strict=True))

    def triplet(anchor: str, positive: str, negative: str) -> float:
        near, far = (torch.dist(of[anchor], of[name]) for name in (positive, negative))
        return max(0.0, float(near - far + 1))

    first = sum(triplet("text", "a", name) for name in "bcd") / 3
    assert float(measured) == pytest.approx((first + triplet("anchor", "c", "a")) / 2, rel=1e-5)
