"""Training in batches: the loop that stops early, and the one of encoders that read two segments.

The first is that of whole encoders and of heads. It keeps the best weights in memory: a run that
was killed begins anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import frozen

from cite_lsp.language import has_han
from cite_lsp.train.run.encoding import vectors_of
from cite_lsp.train.run.report import Figures, Progress, Steps

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

T = TypeVar("T")
Pace = Callable[[int, int], float]
"""Takes how many steps are done, of how many; returns by what the rate is multiplied."""

_FIGURE = "mrr@10"
"""What early stop and the choice of the best weights go by."""
_SORTED_AT_ONCE = 8
"""Batches whose texts are sorted by length among themselves, so that little is padded."""


@frozen
class RunResult:
    """Figures on dev before training and with the best weights, and when that was."""

    before: dict[str, float]
    after: dict[str, float]
    best_step: int
    steps: int
    examples: int
    device: str

    def figures(self, out: Path, what: str = "trained") -> list[Figures]:
        """Return what `what` was trained in a folder is worth beside its base."""
        note = f"{out}: step {self.best_step:,} of {self.steps:,}, on {self.device}"
        return [Figures({"base": self.before, what: self.after}, note=note)]


@frozen
class EarlyStop:
    """How long a run lasts, and how its rate changes.

    epochs: at most. evaluations: how often an epoch is measured. patience: measurements without
    gain before it ends. pace: of its rate. clip: the greatest norm of its gradient.
    """

    epochs: int
    evaluations: int = 1
    patience: int | None = None
    pace: Pace = lambda step, steps: 1.0
    clip: float = math.inf

    @classmethod
    def with_warmup(cls, epochs: int, evaluations: int, patience: int, warmup: float) -> EarlyStop:
        """Return the end and the pace of whole encoders, whose gradients are clipped."""
        return cls(epochs, evaluations, patience, rising_then_falling(warmup), clip=1.0)


def fit(
    optimiser: torch.optim.Optimizer,
    epoch: Callable[[int], Sequence[T]],
    loss_of: Callable[[T], torch.Tensor],
    measure: Callable[[], dict[str, float]],
    stop: EarlyStop,
    progress: Progress,
    *,
    examples: int,
) -> RunResult:
    """Train the weights of an optimiser in place; they end as the best, which may be the first.

    Args:
        optimiser: has the weights.
        epoch: returns the batches of an epoch, by its number; the first says how many there are.
        loss_of: returns the loss of a batch, a scalar.
        measure: returns figures on dev; the greatest MRR@10 wins.
        stop: how long, and how fast.
        progress: called as the run proceeds, in steps.
        examples: how many are learned from, for the result.
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    weights = [part for group in optimiser.param_groups for part in group["params"]]
    progress("measuring the base", 0, 0)
    before = best = measure()
    first = epoch(0)
    steps, every = stop.epochs * len(first), max(1, len(first) // stop.evaluations)
    schedule = scheduled(optimiser, stop.pace, steps)
    best_step, best_weights, without_gain, done = 0, _copied(weights), 0, 0
    later = (batch for number in range(1, stop.epochs) for batch in epoch(number))
    for done, batch in enumerate(chain(first, later), start=1):
        optimiser.zero_grad()
        loss_of(batch).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(weights, stop.clip)
        optimiser.step()
        schedule.step()
        progress(f"training (dev {_FIGURE} {best[_FIGURE]:.3f})", done, steps)
        if done % every and done < steps:
            continue
        figures, without_gain = measure(), without_gain + 1
        if figures[_FIGURE] > best[_FIGURE]:
            best, best_step, best_weights, without_gain = figures, done, _copied(weights), 0
        if without_gain == stop.patience:
            break
    with torch.no_grad():
        for part, kept in zip(weights, best_weights, strict=True):
            part.copy_(kept)
    return RunResult(before, best, best_step, done, examples, weights[0].device.type)


def in_batches(rows: Sequence[T], size: int) -> list[Sequence[T]]:
    """Cut rows into batches, the last of which may be smaller."""
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def rising_then_falling(warmup: float) -> Pace:
    """Return a pace that rises over a share of the steps, and falls to a fiftieth."""
    return lambda step, steps: (
        min(1.0, (step + 1) / max(1.0, warmup * steps)) * max(0.02, 1 - step / steps)
    )


def scheduled(
    optimiser: torch.optim.Optimizer, pace: Pace, steps: int
) -> torch.optim.lr_scheduler.LambdaLR:
    """Let the rates of an optimiser change over so many steps."""
    import torch

    return torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: pace(step, steps))


def _copied(weights: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return [part.detach().cpu().clone() for part in weights]


@frozen
class Settings:
    """What decides the result, beside the data. `temperature` divides the cosines.

    `fold_epochs` are those of the encoders of the folds, which only stand for the shipped one.
    Without `random_papers` a context is compared with the whole pool, and learned from once for
    all that it cites; with them once for each, from them and from the papers of its batch.
    `word_rate` is the rate at which the rows of Chinese words learn; at 0 they stay as they are.
    """

    epochs: int = 2
    fold_epochs: int = 1
    batch: int = 64
    learning_rate: float = 5e-5
    warmup: float = 0.06
    random_papers: int = 4000
    temperature: float = 0.05
    seed: int = 13
    word_rate: float = 0.0


def learn_in_batches(
    model: SentenceTransformer,
    texts: Sequence[str],
    settings: Settings,
    epochs: int,
    loss_of: Callable[[torch.Tensor, Sequence[int]], torch.Tensor],
    rng: torch.Generator,
    progress: Steps,
) -> None:
    """Train a model in place, batch by batch of texts of much the same length.

    `loss_of` returns the loss of the unit vectors of a batch, (b, d), and the places of its texts.
    """
    batch = min(settings.batch, len(texts))
    steps = epochs * (len(texts) // batch)
    learner = Learner(model, settings, steps)
    model.eval()  # nothing is dropped: random numbers take two thirds of a step on a CPU
    done = 0
    for _ in range(epochs):
        for places in batches(texts, batch, rng):
            vectors = vectors_of(model, [texts[place] for place in places])
            learner.learn(loss_of(vectors, places))
            done += 1
            progress(done, steps)


class Learner:
    """What a model learns by: all but its embeddings, and of these the rows of Chinese words."""

    def __init__(self, model: SentenceTransformer, settings: Settings, steps: int) -> None:
        """Prepare a model for so many steps, whose rate rises and then falls."""
        # Imported where it trains: an extra has it, and loading it takes seconds.
        import torch

        network: Any = model[0].auto_model
        table = network.get_input_embeddings().weight
        for name, weights in model.named_parameters():
            weights.requires_grad = ".embeddings." not in name
        layers = [weights for weights in model.parameters() if weights.requires_grad]
        groups: list[dict[str, Any]] = [{"params": layers, "lr": settings.learning_rate}]
        self._table = table if settings.word_rate else None
        if self._table is not None:
            names = model.tokenizer.convert_ids_to_tokens(list(range(len(table))))
            self._still = torch.tensor([not has_han(name) for name in names], device=model.device)
            table.requires_grad = True
            groups.append({"params": [table], "lr": settings.word_rate, "weight_decay": 0.0})
        self._optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
        self._schedule = scheduled(self._optimiser, rising_then_falling(settings.warmup), steps)

    def learn(self, loss: torch.Tensor) -> None:
        """Take one step down a loss."""
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if self._table is not None and self._table.grad is not None:
            self._table.grad[self._still] = 0
        self._optimiser.step()
        self._schedule.step()


def batches(texts: Sequence[str], batch: int, rng: torch.Generator) -> list[list[int]]:
    """Return an epoch in batches of texts of much the same length, in an order of chance."""
    import torch

    order = torch.randperm(len(texts), generator=rng).tolist()
    epoch: list[list[int]] = []
    for start in range(0, len(order), batch * _SORTED_AT_ONCE):
        part = sorted(
            order[start : start + batch * _SORTED_AT_ONCE], key=lambda place: len(texts[place])
        )
        epoch += [part[at : at + batch] for at in range(0, len(part) - batch + 1, batch)]
    return [epoch[place] for place in torch.randperm(len(epoch), generator=rng).tolist()]
