"""The network of `recommend/corpus/late_interaction.py`, fitting it, and writing it as a graph."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from attrs import asdict, frozen
from numpy.typing import NDArray
from torch.nn.functional import normalize, softplus

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.encoder import Vectors
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.corpus.late_interaction import (
    NO_TOKEN,
    OCTAVES,
    TITLE_CLASS,
    context_words,
    title_tokens,
)
from cite_lsp.train.rankers.groups import Groups
from cite_lsp.train.rankers.interaction_task import (
    CONTEXT,
    ROW,
    Settings,
    ShippedModels,
    reading_of_context,
)
from cite_lsp.train.run.report import Progress

MEANS = (1.0, 0.9, 0.7, 0.5, 0.3, 0.1)
"""Cosines at which the kernels stand."""
WIDTHS = (0.03, 0.1, 0.1, 0.1, 0.1, 0.1)
"""How wide they are; the first one counts the same word alone."""
LEAST = 1e-3
"""What a kernel counts at least, before its logarithm is taken."""
FEATURES = 3 * len(MEANS) + 4
_OPSET = 17
_LEAST_SUM = 1e-6


@frozen(eq=False)
class Batch:
    """Contexts and the titles of their candidates, shorter rows filled up with `NO_TOKEN`.

    tokens (b, q), states (b, q, d), words (b, q, w), places (b, q): as in `Asked`.
    titles (b, c, t), title_words (b, c, t, w): as in `Titles`.
    """

    tokens: torch.Tensor
    states: torch.Tensor
    words: torch.Tensor
    places: torch.Tensor
    titles: torch.Tensor
    title_words: torch.Tensor


class InteractionNetwork(torch.nn.Module):
    """Scores titles for contexts."""

    def __init__(
        self,
        states: NDArray[np.floating],
        words: NDArray[np.floating],
        importance: NDArray[np.floating],
        hidden: int,
    ) -> None:
        """Begin with maps of states (d, e) and of words by themselves (w, e) to one space.

        `importance` is that of the words of the vocabulary, (v,).
        """
        super().__init__()
        self.states = torch.nn.Linear(states.shape[0], states.shape[1])
        self.states.weight.data = torch.tensor(states.T, dtype=torch.float32).contiguous()
        self.states.bias.data.zero_()
        self.words = torch.nn.Linear(words.shape[0], words.shape[1], bias=False)
        self.words.weight.data = torch.tensor(words.T, dtype=torch.float32).contiguous()
        self.mix = torch.nn.Parameter(torch.tensor(1.0))
        self.importance = torch.nn.Linear(len(states), 1)
        self.importance.weight.data.zero_()
        self.importance.bias.data.zero_()
        self.query_words, self.title_words = _numbers(importance), _numbers(importance)
        fading = -0.35 * np.arange(OCTAVES)
        self.places = _numbers(np.concatenate([0.5 + fading, 0.3 + fading, [0.0, -1.0]]))
        self.norm = torch.nn.LayerNorm(FEATURES)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(FEATURES, hidden),
            torch.nn.GELU(),
            torch.nn.Linear(hidden, 1),
        )

    def forward(
        self,
        tokens: torch.Tensor,
        states: torch.Tensor,
        words: torch.Tensor,
        places: torch.Tensor,
        titles: torch.Tensor,
        title_words: torch.Tensor,
    ) -> torch.Tensor:
        """Return the scores of titles, shape (b, c); see `Batch` for what is given."""
        alone = normalize(self.words(words), dim=-1)
        query = normalize(self.states(states) + self.mix * alone, dim=-1)
        query_mask = (tokens != NO_TOKEN).float()
        nearness = self.places(places).squeeze(-1)
        weight = self.query_words(tokens) + self.importance(states)
        weight = softplus(weight).squeeze(-1) * nearness.exp() * query_mask
        topic = (places == TITLE_CLASS).float()
        text = weight * (1 - topic)
        sides = torch.stack([text, weight * topic], dim=-1)[:, None]
        text = (text / text.sum(dim=1, keepdim=True).clamp_min(_LEAST_SUM))[:, None, :, None]
        title_mask = (titles != NO_TOKEN).float()[..., None]
        share = softplus(self.title_words(titles)) * title_mask
        share = share / share.sum(dim=2, keepdim=True).clamp_min(_LEAST_SUM)
        mapped = normalize(self.words(title_words), dim=-1)
        alike = mapped @ query[:, None].transpose(2, 3)
        features = []
        for mean, width in zip(MEANS, WIDTHS, strict=True):
            kernel = torch.exp((alike - mean).square() * (-1 / (2 * width**2)))
            covered = (kernel @ sides).clamp_min(LEAST).log()
            features.append((covered * share).sum(dim=2))
            covering = (kernel * title_mask).sum(dim=2).clamp_min(LEAST).log()
            features.append((covering[:, :, None] @ text)[..., 0])
        nearest = (nearness - self.places.weight.max()).exp() * query_mask
        closest = [
            (alike * nearest[:, None, None]).amax(dim=-1),
            _masked(alike, query_mask).amax(dim=-1),
        ]
        features.append((torch.stack(closest, dim=-1) * share).sum(dim=2))
        features.append(title_mask.sum(dim=2).log1p())
        best = (alike * title_mask).amax(dim=2)
        features.append((best[:, :, None] @ text)[..., 0])
        scores: torch.Tensor = self.layers(self.norm(torch.cat(features, dim=-1))).squeeze(-1)
        return scores


def _numbers(values: NDArray[np.floating]) -> torch.nn.Embedding:
    """Return a number for each of (n,), to be learned."""
    table = torch.nn.Embedding(len(values), 1)
    table.weight.data = torch.tensor(values, dtype=torch.float32)[:, None]
    return table


def _masked(alike: torch.Tensor, query_mask: torch.Tensor) -> torch.Tensor:
    """Return how alike words are, -1 of what is no word of the context."""
    mask = query_mask[:, None, None]
    return alike * mask - (1 - mask)


def write_graph(network: InteractionNetwork, path: Path, example: Batch) -> None:
    """Write a network as ONNX; `example` is one context with its titles.

    Raises:
        OSError: it cannot be written.
    """
    inputs = asdict(example, recurse=False)
    of_titles = {"titles", "title_words"}
    axes = {
        name: {1: "papers", 2: "title"} if name in of_titles else {1: "asked"} for name in inputs
    }
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of shapes that are always these
        torch.onnx.export(
            network.eval(),
            tuple(inputs.values()),
            str(path),
            input_names=list(inputs),
            output_names=["scores"],
            dynamic_axes={**axes, "scores": {1: "papers"}},
            opset_version=_OPSET,
            dynamo=False,
        )


def first_maps(
    table: Vectors, states: Vectors, words: Vectors, dimensions: int
) -> tuple[Vectors, Vectors]:
    """Return maps to begin with: of states (d, e) and of words by themselves (w, e).

    That of words keeps the main directions of their table (v, w). That of states leads each near
    the word that it is of: `states` (n, d) are those of `words` (n, w), fitted by least squares.
    """
    directions = np.linalg.eigh(table.T @ table / len(table))[1][:, ::-1][:, :dimensions]
    ridge = 1e-3 * len(states) * np.eye(states.shape[1])
    fitted = np.linalg.solve(states.T @ states + ridge, states.T @ (words @ directions))
    return fitted.astype(np.float32), directions.astype(np.float32)


CANDIDATES, CITED = 44, 8
"""Papers of one context in a batch at the most, and of those that it cites."""
MAPPED_FROM = 600
"""Contexts to whose words the map of states is fitted to begin with."""


def fit(
    rows: Sequence[LabelledContext],
    groups: Groups,
    models: ShippedModels,
    settings: Settings,
    progress: Progress,
) -> InteractionNetwork:
    """Fit the network to groups of candidates of contexts."""
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    network = _begun(rows, models, settings, rng)
    single = [network.query_words.weight, network.title_words.weight]
    others = [
        weights for weights in network.parameters() if all(weights is not table for table in single)
    ]
    rates = [settings.word_rate, settings.learning_rate]
    optimiser = torch.optim.AdamW(
        [{"params": params} for params in (single, others)], lr=rates[1], weight_decay=0.0
    )
    size = min(settings.batch, len(groups.sizes))
    steps = settings.epochs * (len(groups.sizes) // size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rates, total_steps=steps + 1, pct_start=0.05
    )
    done = 0
    for _ in range(settings.epochs):
        order = rng.permutation(len(groups.sizes))
        order = order[: len(order) // size * size].tolist()
        for batch, labels in batches(order, rows, groups, models, size, rng):
            scores = network(**asdict(batch, recurse=False))
            present = (batch.titles != NO_TOKEN).any(dim=-1)
            chances = torch.log_softmax(scores.masked_fill(~present, -1e9), dim=-1)
            loss = -((chances * labels).sum(dim=-1) / labels.sum(dim=-1)).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            done += 1
            progress("learning", done, steps)
    return network


def _begun(
    rows: Sequence[LabelledContext],
    models: ShippedModels,
    settings: Settings,
    rng: np.random.Generator,
) -> InteractionNetwork:
    """Return a network whose maps compare words as the static encoder does."""
    sample = rng.permutation(len(rows))[:MAPPED_FROM].tolist()
    read = [
        context_words(reading_of_context(rows[number], models), models.words, models.signs)
        for number in sample
    ]
    words = [query.tokens != models.signs.here for query in read]
    vocabulary = np.arange(models.words.vocabulary)
    states, alone = first_maps(
        models.words.words(vocabulary),
        np.concatenate([query.states[mask] for query, mask in zip(read, words, strict=True)]),
        np.concatenate([query.words[mask] for query, mask in zip(read, words, strict=True)]),
        settings.dimensions,
    )
    return InteractionNetwork(states, alone, _rarity(models), settings.hidden)


def _rarity(models: ShippedModels) -> Column:
    """Return how rare tokens are in the titles of the pool, 1 in the mean, shape (v,)."""
    corpus = models.corpus
    titles = [corpus.title(row) for row in range(len(corpus))]
    with_word = np.zeros(models.words.vocabulary)
    for tokens in models.words.tokens(titles):
        with_word[list(set(tokens))] += 1
    rarity = np.log((len(titles) + 1) / (with_word + 1))
    return np.asarray(rarity / rarity.mean(), dtype=np.float32)


def batches(
    order: Sequence[int],
    rows: Sequence[LabelledContext],
    groups: Groups,
    models: ShippedModels,
    size: int,
    rng: np.random.Generator | None = None,
) -> Iterator[tuple[Batch, Any]]:
    """Yield groups in batches, with what their contexts cite, (b, c).

    Of a group with too many candidates some are chosen by chance.
    """
    ends = np.cumsum(groups.sizes)
    for start in range(0, len(order), size):
        queries, titles, labels = [], [], []
        for number in order[start : start + size]:
            candidates = np.arange(ends[number] - groups.sizes[number], ends[number])
            candidates = _fewer(candidates, groups.relevance[candidates] > 0, rng)
            row = rows[int(groups.features[candidates[0], CONTEXT])]
            queries.append(
                context_words(reading_of_context(row, models), models.words, models.signs)
            )
            papers = groups.features[candidates, ROW].astype(np.int64)
            pool_titles = [models.corpus.title(paper) for paper in papers.tolist()]
            titles.append(title_tokens(pool_titles, models.words))
            labels.append(groups.relevance[candidates] > 0)
        tokens = _filled(titles)
        batch = Batch(
            tokens=torch.from_numpy(_filled([query.tokens for query in queries])),
            states=torch.from_numpy(_filled([query.states for query in queries])),
            words=torch.from_numpy(_filled([query.words for query in queries])),
            places=torch.from_numpy(_filled([query.places for query in queries])),
            titles=torch.from_numpy(tokens),
            title_words=torch.from_numpy(models.words.words(tokens)),
        )
        yield batch, torch.from_numpy(_filled(labels).astype(np.float32))


def _fewer(
    candidates: NDArray[np.int64], cited: NDArray[np.bool_], rng: np.random.Generator | None
) -> NDArray[np.int64]:
    if rng is None or len(candidates) <= CANDIDATES:
        return candidates
    ours = candidates[cited][:CITED]
    return np.concatenate([ours, rng.permutation(candidates[~cited])[: CANDIDATES - len(ours)]])


def _filled(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays in one, filled up with 0 behind."""
    shape = np.max([array.shape for array in arrays], axis=0)
    whole = np.zeros((len(arrays), *shape), dtype=arrays[0].dtype)
    for number, array in enumerate(arrays):
        whole[number][tuple(map(slice, array.shape))] = array
    return whole
