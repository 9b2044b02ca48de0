"""Training a sentence encoder in batches of texts: the settings, the loop, the optimiser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from cite_lsp.language import has_han
from cite_lsp.train.encoders.encoder_run import turn_off_dropout
from cite_lsp.train.run.encoding import vectors_of
from cite_lsp.train.run.report import Steps

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

_SORTED_AT_ONCE = 8
"""Batches whose texts are sorted by length among themselves, so that little is padded."""


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
    model.train()
    done = 0
    for _ in range(epochs):
        for places in batches(texts, batch, rng):
            vectors = vectors_of(model, [texts[place] for place in places])
            learner.learn(loss_of(vectors, places))
            done += 1
            progress(done, steps)
    model.eval()


class Learner:
    """What a model learns by: all but its embeddings, and of these the rows of Chinese words."""

    def __init__(self, model: SentenceTransformer, settings: Settings, steps: int) -> None:
        """Prepare a model for so many steps, whose rate rises and then falls."""
        # Imported where it trains: an extra has it, and loading it takes seconds.
        import torch

        turn_off_dropout(model)
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
        self._schedule = rising_then_falling(self._optimiser, settings.warmup, steps)

    def learn(self, loss: torch.Tensor) -> None:
        """Take one step down a loss."""
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if self._table is not None and self._table.grad is not None:
            self._table.grad[self._still] = 0
        self._optimiser.step()
        self._schedule.step()


def rising_then_falling(
    optimiser: torch.optim.Optimizer, warmup: float, steps: int
) -> torch.optim.lr_scheduler.LambdaLR:
    """Let the rates of an optimiser rise over a share of the steps, and fall to a fiftieth."""
    import torch

    warm = max(1.0, warmup * steps)
    return torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / warm) * max(0.02, 1 - step / steps)
    )


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
