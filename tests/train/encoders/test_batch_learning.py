"""The loop of training that stops early: what it measures, where it ends, what it leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cite_lsp.train.encoders.batch_learning import (
    EarlyStop,
    RunResult,
    fit,
    in_batches,
    rising_then_falling,
)

pytestmark = pytest.mark.torch


@pytest.fixture(autouse=True)
def with_torch() -> None:
    pytest.importorskip("torch", reason="needs the torch extra")


def counted(figures: list[float], stop: EarlyStop, batches: int) -> tuple[float, RunResult]:
    """Train a number that grows by 1 each step, which is measured as told; return its end."""
    import torch

    weights = torch.zeros(1, requires_grad=True)
    told = iter(figures)
    result = fit(
        torch.optim.SGD([weights], lr=1.0),
        lambda _: range(batches),
        lambda _: -weights.sum(),
        lambda: {"mrr@10": next(told)},
        stop,
        lambda stage, done, total: None,
        examples=batches,
    )
    return float(weights.detach()), result


def test_a_run_ends_where_nothing_was_gained_for_long_and_leaves_the_best_weights() -> None:
    stop = EarlyStop(epochs=9, patience=3)
    end, result = counted([0.1, 0.5, 0.4, 0.3, 0.2], stop, batches=2)
    assert (end, result.steps, result.best_step) == (2.0, 8, 2)
    assert (result.before, result.after) == ({"mrr@10": 0.1}, {"mrr@10": 0.5})


def test_what_is_gained_in_between_prolongs_a_run() -> None:
    stop = EarlyStop(epochs=9, patience=2)
    _, result = counted([0.1, 0.0, 0.2, 0.0, 0.0], stop, batches=1)
    assert (result.steps, result.best_step) == (4, 2)


def test_a_run_without_gain_leaves_the_weights_that_it_began_with() -> None:
    end, result = counted([0.5, 0.4, 0.3], EarlyStop(epochs=2), batches=3)
    assert (end, result.steps, result.best_step) == (0.0, 6, 0)
    assert result.before == result.after


def test_an_epoch_is_measured_several_times_and_a_run_at_its_end() -> None:
    stop = EarlyStop(epochs=1, evaluations=2)
    end, result = counted([0.0, 0.1, 0.2, 0.3], stop, batches=5)
    assert (end, result.best_step) == (5.0, 5)


def test_the_rate_follows_the_pace_and_the_gradient_is_clipped() -> None:
    halves: Callable[[int, int], float] = lambda step, steps: 0.5 if step < steps / 2 else 0.0  # noqa: E731
    end, _ = counted([0.0, 1.0], EarlyStop(epochs=1, pace=halves, clip=0.5), batches=4)
    assert end == pytest.approx(2 * 0.5 * 0.5, rel=1e-5)


def test_a_rate_rises_over_a_share_of_the_steps_and_falls_to_a_fiftieth() -> None:
    rates = [rising_then_falling(0.2)(step, 10) for step in range(11)]
    expected = [0.5, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.02]
    assert rates == pytest.approx(expected)


def test_the_last_batch_may_be_smaller() -> None:
    made: Any = in_batches(range(5), 2)
    assert [list(batch) for batch in made] == [[0, 1], [2, 3], [4]]
