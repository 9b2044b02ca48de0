"""Training a head with hidden units to order what phase 1 finds by what the section cites.

A head that learns from random papers meets none of those that it has to rank. Here it learns from
the question of phase 2 (Tanaka et al., section 3.2): of candidates that all fit, which is nearest
to a cited paper? The answer is a softmax over the candidates (Cao et al., "Learning to rank: from
pairwise approach to listwise approach", 2007), and the greatest cosine a smooth one, so that every
cited paper learns. Beside it two papers that are cited together retrieve each other in a batch (van
den Oord et al., "Representation learning with contrastive predictive coding", 2018).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.encode.kinds.headed import Network
from cite_lsp.train.encoders.batch_learning import EarlyStop, RunResult, fit
from cite_lsp.train.run.encoding import computes_bfloat16
from cite_lsp.train.run.report import Progress, TrainingError, require

if TYPE_CHECKING:
    import torch

Measure = Callable[[Network], dict[str, float]]
"""Figures of a head on development data."""
Rows = NDArray[np.int64]

MOST_CITED = 25
"""Papers of a section that a question names, chosen by chance where it cites more."""
_SCALE = 8.0
"""What vectors are multiplied by for the hidden units: numbers of unit vectors are small."""
_TEMPERATURE = 0.05
"""What cosines are divided by, for the greatest, among candidates and among pairs."""
_WARM_UP = 100
"""Steps over which the rate rises, at most."""
_NONE = -1e9


@frozen
class HeadQuestion:
    """Rows of vectors: candidates, the first of which is right, and papers that are cited."""

    candidates: Sequence[int]
    cited: Sequence[int]


@frozen
class Lesson:
    """What an epoch learns from: questions in an order of chance, and pairs of rows, (m, 2)."""

    questions: Sequence[HeadQuestion]
    pairs: Rows


@frozen
class NetworkSettings:
    """How large the head is, and how long and how fast it learns.

    `batch` counts questions, `pairs` pairs a step. The rate rises over the first hundred steps, or
    the first tenth of them, and then falls to nothing with the cosine of how much is done.
    """

    hidden: int = 1536
    epochs: int = 6
    batch: int = 64
    pairs: int = 512
    learning_rate: float = 1e-3
    weight_decay: float = 0.05
    dropout: float = 0.5
    seed: int = 13


def fit_network(
    vectors: Vectors,
    lesson: Callable[[np.random.Generator], Lesson],
    measure: Measure,
    settings: NetworkSettings,
    progress: Progress = lambda stage, done, total: None,
) -> tuple[Network, RunResult]:
    """Fit a head with hidden units, and return the best after an epoch, or the one that is still.

    Args:
        vectors: unit rows of the base, shape (n, d).
        lesson: makes what an epoch learns from, with what is chosen by chance.
        measure: returns the figures of a head; the greatest MRR@10 wins.
        settings: how large, how long and how fast.
        progress: called as the run proceeds, in steps.

    Raises:
        TrainingError: there is nothing to learn from, or torch is missing.
    """
    require("torch")
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    first = lesson(rng)
    if not first.questions:
        raise TrainingError(
            "no section of the contexts cites two of the papers; check that both name papers by"
            " the same ids"
        )
    model = _Head(vectors.shape[1], settings)
    optimiser = torch.optim.AdamW(
        model.parameters, lr=settings.learning_rate, weight_decay=settings.weight_decay
    )
    base = torch.from_numpy(np.asarray(vectors, dtype=np.float32))

    def epoch(number: int) -> list[tuple[list[HeadQuestion], Rows]]:
        return list(_batches(lesson(rng) if number else first, settings))

    result = fit(
        optimiser,
        epoch,
        lambda batch: _listwise(model, base, batch[0]) + _contrastive(model, base, batch[1]),
        lambda: measure(model.network()),
        EarlyStop(settings.epochs, pace=_pace),
        progress,
        examples=len(first.questions),
    )
    return model.network(), result


class _Head:
    """The head while it learns; at first it leaves vectors as they are."""

    def __init__(self, dimensions: int, settings: NetworkSettings) -> None:
        import torch

        self._inner = torch.nn.Linear(dimensions, settings.hidden)
        self._outer = torch.nn.Linear(settings.hidden, dimensions, bias=False)
        torch.nn.init.zeros_(self._outer.weight)
        self._dropout = settings.dropout
        self._half = computes_bfloat16("cpu")
        self.parameters = [*self._inner.parameters(), *self._outer.parameters()]

    def place(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return unit vectors, (n, d), with some of the hidden units left out by chance."""
        import torch

        with torch.autocast("cpu", torch.bfloat16, enabled=self._half):
            active = torch.relu(self._inner(_SCALE * vectors))
            shift = self._outer(torch.nn.functional.dropout(active, self._dropout))
        return torch.nn.functional.normalize(vectors + shift.float(), dim=-1)

    def network(self) -> Network:
        """Return the head as it is now."""
        inner = self._inner.weight.detach().numpy().T * _SCALE
        hidden = np.concatenate([inner, self._inner.bias.detach().numpy()[None]])
        return Network(hidden.astype(np.float32), self._outer.weight.detach().numpy().T.copy())


def _batches(
    lesson: Lesson, settings: NetworkSettings
) -> Iterator[tuple[list[HeadQuestion], Rows]]:
    """Yield the questions of a step and its pairs, which begin again where they end."""
    place = 0
    for start in range(0, len(lesson.questions), settings.batch):
        pairs = np.take(lesson.pairs, range(place, place + settings.pairs), axis=0, mode="wrap")
        place += settings.pairs
        yield list(lesson.questions[start : start + settings.batch]), pairs


def _pace(step: int, steps: int) -> float:
    rising = min(1.0, (step + 1) / min(_WARM_UP, steps / 10))
    return rising * (1 + math.cos(math.pi * min(1.0, (step + 1) / steps))) / 2


def _listwise(model: _Head, base: torch.Tensor, questions: Sequence[HeadQuestion]) -> Any:  # noqa: ANN401
    """Return how unlikely the right candidates are, averaged over the questions; a scalar."""
    import torch

    candidates, is_candidate = _padded([question.candidates for question in questions])
    cited, is_cited = _padded([question.cited for question in questions])
    rows, inverse = np.unique(np.concatenate([candidates, cited], axis=1), return_inverse=True)
    mapped = model.place(base[torch.from_numpy(rows)])[torch.from_numpy(inverse)]
    mapped = mapped.reshape(len(questions), -1, base.shape[1])
    width = candidates.shape[1]
    cosines = mapped[:, :width] @ mapped[:, width:].transpose(1, 2) / _TEMPERATURE
    near = cosines.masked_fill(~torch.from_numpy(is_cited)[:, None], _NONE).logsumexp(dim=2)
    near = near.masked_fill(~torch.from_numpy(is_candidate), _NONE)
    return torch.nn.functional.cross_entropy(near, torch.zeros(len(questions), dtype=torch.long))


def _contrastive(model: _Head, base: torch.Tensor, pairs: Rows) -> Any:  # noqa: ANN401
    """Return how unlikely each first of a pair finds its second among those of all; a scalar."""
    import torch

    if len(pairs) < 2:  # a single pair has no negatives
        return 0.0
    first, second = pairs.T
    placed = [model.place(base[torch.from_numpy(rows.copy())]) for rows in (first, second)]
    cosines = placed[0] @ placed[1].T / _TEMPERATURE
    same = (second[:, None] == second) | (first[:, None] == second)
    np.fill_diagonal(same, val=False)
    masked = cosines.masked_fill(torch.from_numpy(same), _NONE)
    return torch.nn.functional.cross_entropy(masked, torch.arange(len(pairs)))


def _padded(lists: Sequence[Sequence[int]]) -> tuple[Rows, NDArray[np.bool_]]:
    """Return lists as rows of one length, and what of it is theirs."""
    width = max(map(len, lists))
    rows = np.zeros((len(lists), width), dtype=np.int64)
    present = np.zeros((len(lists), width), dtype=bool)
    for number, items in enumerate(lists):
        rows[number, : len(items)] = items
        present[number, : len(items)] = True
    return rows, present
