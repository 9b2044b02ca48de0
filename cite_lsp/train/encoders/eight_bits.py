"""Training for eight bits: an encoder computes with the rounded weights that it will ship with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from torch import nn

_GREATEST = 127


@contextmanager
def in_eight_bits(model: nn.Module) -> Iterator[None]:
    """Make all linear layers of a model learn at the weights that `export` will round theirs to.

    Meanwhile the weights are as fine as ever, and learn by the gradient at the rounded ones
    (straight-through estimator: Bengio, Léonard and Courville 2013; for encoders: Q8BERT, Zafrir et
    al. 2019); in the end they are the rounded ones. An encoder that starts from rounded weights and
    learns without this loses it again: few of them move by half a step.
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    layers = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear)]
    for layer in layers:
        layer.forward = partial(_multiply, layer)  # type: ignore[method-assign]
    try:
        yield
    finally:
        for layer in layers:
            del layer.forward
            with torch.no_grad():
                layer.weight.copy_(rounded(layer.weight))


def _multiply(layer: nn.Linear, numbers: torch.Tensor) -> torch.Tensor:
    from torch.nn import functional

    weights = layer.weight
    learned = weights + (rounded(weights.detach()) - weights.detach())
    return functional.linear(numbers, learned, layer.bias)


def rounded(weights: torch.Tensor) -> torch.Tensor:
    """Return weights (outputs, inputs) rounded to 255 steps for each output, as `export` does."""
    import torch

    step = weights.abs().amax(dim=1, keepdim=True) / _GREATEST
    return torch.round(weights / step.clamp(min=torch.finfo(weights.dtype).tiny)) * step
