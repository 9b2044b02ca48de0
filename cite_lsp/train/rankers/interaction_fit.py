"""Fitting the network of `train/rankers/interaction.py` to groups of candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from attrs import asdict
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.corpus.late_interaction import (
    NO_TOKEN,
    context_words,
    title_tokens,
)
from cite_lsp.train.rankers.groups import Groups
from cite_lsp.train.rankers.interaction import Batch, InteractionNetwork, first_maps
from cite_lsp.train.rankers.interaction_task import (
    CONTEXT,
    ROW,
    Settings,
    ShippedModels,
    reading_of_context,
)
from cite_lsp.train.run.progress import Progress

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
    dice = np.random.default_rng(settings.seed)
    network = _begun(rows, models, settings, dice)
    single = [network.query_words.weight, network.title_words.weight]
    others = [
        weights for weights in network.parameters() if all(weights is not own for own in single)
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
        order = dice.permutation(len(groups.sizes))
        order = order[: len(order) // size * size].tolist()
        for batch, labels in batches(order, rows, groups, models, size, dice):
            scores = network(**asdict(batch, recurse=False))
            there = (batch.titles != NO_TOKEN).any(dim=-1)
            chances = torch.log_softmax(scores.masked_fill(~there, -1e9), dim=-1)
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
    dice: np.random.Generator,
) -> InteractionNetwork:
    """Return a network whose maps compare words as the static encoder does."""
    sample = dice.permutation(len(rows))[:MAPPED_FROM].tolist()
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
    dice: np.random.Generator | None = None,
) -> Iterator[tuple[Batch, Any]]:
    """Yield groups in batches, with what their contexts cite, (b, c).

    Of a group with too many candidates some are chosen by chance.
    """
    ends = np.cumsum(groups.sizes)
    for start in range(0, len(order), size):
        queries, titles, labels = [], [], []
        for number in order[start : start + size]:
            own = np.arange(ends[number] - groups.sizes[number], ends[number])
            own = _fewer(own, groups.relevance[own] > 0, dice)
            row = rows[int(groups.features[own[0], CONTEXT])]
            queries.append(
                context_words(reading_of_context(row, models), models.words, models.signs)
            )
            papers = groups.features[own, ROW].astype(np.int64)
            pool_titles = [models.corpus.title(paper) for paper in papers.tolist()]
            titles.append(title_tokens(pool_titles, models.words))
            labels.append(groups.relevance[own] > 0)
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
    own: NDArray[np.int64], cited: NDArray[np.bool_], dice: np.random.Generator | None
) -> NDArray[np.int64]:
    if dice is None or len(own) <= CANDIDATES:
        return own
    ours = own[cited][:CITED]
    return np.concatenate([ours, dice.permutation(own[~cited])[: CANDIDATES - len(ours)]])


def _filled(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays in one, filled up with 0 behind."""
    shape = np.max([array.shape for array in arrays], axis=0)
    whole = np.zeros((len(arrays), *shape), dtype=arrays[0].dtype)
    for number, array in enumerate(arrays):
        whole[number][tuple(map(slice, array.shape))] = array
    return whole
