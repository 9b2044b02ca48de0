"""Heads: what they learn, and where they stay the identity."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.train.encoders.linear_head import HeadSettings, fit
from cite_lsp.train.run.report import TrainingError

pytestmark = pytest.mark.torch


@pytest.fixture(autouse=True)
def with_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="needs the torch extra")
    monkeypatch.setenv("CITE_LSP_DEVICE", "cpu")


def unit(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def hidden_pairs() -> tuple[np.ndarray, np.ndarray]:
    """Return vectors in which pairs agree in half of the dimensions, and triplets of them."""
    rng = np.random.default_rng(2)
    shared = rng.standard_normal((40, 8))
    noise = rng.standard_normal((2, 40, 8))
    vectors = np.concatenate([np.hstack([shared, noise[0]]), np.hstack([shared, noise[1]])])
    triplets = [
        [
            row,
            row + 40,
            *rng.choice([o for o in range(40, 80) if o != row + 40], 20, replace=False),
        ]
        for row in range(40)
    ]
    return unit(vectors), np.array(triplets, dtype=np.int64)


def share_right(vectors: np.ndarray, head: np.ndarray) -> float:
    made = unit(vectors @ head)
    return float(np.mean((made[:40] @ made[40:].T).argmax(axis=1) == np.arange(40)))


def test_a_head_learns_which_dimensions_tell_what_belongs_together() -> None:
    vectors, triplets = hidden_pairs()
    seen: list[float] = []

    def measure(head: np.ndarray) -> dict[str, float]:
        seen.append(share_right(vectors, head))
        return {"mrr@10": seen[-1]}

    settings = HeadSettings(epochs=30, batch=8, learning_rate=0.01, patience=30)
    head, result = fit(vectors, triplets, measure, settings)
    assert result.before["mrr@10"] < 0.6 < 0.8 < result.after["mrr@10"]
    assert share_right(vectors, head) == max(seen) == result.after["mrr@10"]


def test_a_head_that_only_gets_worse_stays_the_identity_and_the_run_ends() -> None:
    vectors, triplets = hidden_pairs()
    figures = iter(np.arange(1.0, 0.0, -0.01))
    head, result = fit(
        vectors, triplets, lambda head: {"mrr@10": next(figures)}, HeadSettings(patience=2)
    )
    assert (head == np.eye(16)).all() and result.best_step == 0
    assert result.before == result.after and result.steps == 2 * 1  # an epoch is one batch


def test_nothing_to_learn_from_is_one_clear_error() -> None:
    with pytest.raises(TrainingError, match="cite none of the papers"):
        fit(np.eye(4, dtype=np.float32), np.zeros((0, 9), np.int64), lambda _: {}, HeadSettings())


def test_the_loss_of_a_head_pairs_every_positive_with_every_negative() -> None:
    torch = pytest.importorskip("torch")
    from cite_lsp.encode.kinds.hierarchical import LENGTH
    from cite_lsp.train.encoders.linear_head import _loss

    made = torch.randn(3, 6, 4, generator=torch.Generator().manual_seed(1))
    rows = torch.nn.functional.normalize(made, dim=2)
    expected = [
        torch.relu(
            torch.linalg.vector_norm(row[0] - row[near])
            - torch.linalg.vector_norm(row[0] - row[far])
            + 1 / LENGTH
        )
        for row in rows
        for near in (1, 2)
        for far in (3, 4, 5)
    ]
    assert float(_loss(made, 2)) == pytest.approx(float(sum(expected) / len(expected)), rel=1e-5)
