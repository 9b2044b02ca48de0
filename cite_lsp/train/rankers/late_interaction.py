"""Recipe `late-interaction`: what the first papers of the trees are told apart by, word by word.

Learned is the network of `train/rankers/interaction.py` over the states that the query encoder has
of the words of a context and the words of titles: softmax over what a context cites and what it
does not, of which most are papers that the trees or one of their orders put first (listwise, Cao et
al., ICML 2007). Trees, precedents and encoders are those that ship and are held still. What its
scores weigh beside the logits of the trees is chosen on contexts of other documents.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.model import Encoder, reading_of
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.corpus.candidates import Allowed, Asked
from cite_lsp.recommend.corpus.features import FEATURE_PLACE
from cite_lsp.recommend.corpus.late_interaction import (
    NO_TOKEN,
    LateInteraction,
    Signs,
    asked_of,
    tokens_of_titles,
)
from cite_lsp.recommend.evidence.precedent_arrays import document_key
from cite_lsp.recommend.query.encoder_input import BETWEEN, HERE, asking_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.train.rankers.groups import Group, keep_groups, labels_of, section_seen
from cite_lsp.train.rankers.interaction_task import (
    COLUMNS,
    CONTEXT,
    ROW,
    Leaned,
    Task,
    choose,
    reading_of_context,
    rows_of,
)
from cite_lsp.train.rankers.ranking import Groups
from cite_lsp.train.run.checkpoints import (
    CHECKPOINTS,
    claim,
    columns_of_contexts,
    digest_of,
    finish,
)
from cite_lsp.train.run.config import write_config
from cite_lsp.train.run.errors import TrainingError, require
from cite_lsp.train.run.progress import Progress

if TYPE_CHECKING:
    from cite_lsp.train.rankers.interaction import Batch, Network

NAME = "late-interaction"
HARDEST = 20
"""Papers learned from that the trees put first."""
ORDERS, OF_EACH = ("near_words", "wide_words", "placed"), 8
"""Single orders, and the papers learned from that each of them puts first."""
BY_CHANCE = 12
"""Other candidates learned from."""
CANDIDATES, CITED = 44, 8
"""Papers of one context in a batch at the most, and of those that it cites."""
MAPPED_FROM = 600
"""Contexts to whose words the map of states is fitted to begin with."""


@frozen
class Settings:
    """What decides the result, beside the data.

    word_rate: the rate at which the weights of single words learn. dimensions: of the space in
    which words are compared. hidden: the width of the network's one layer.
    """

    epochs: int = 2
    batch: int = 24
    learning_rate: float = 2e-3
    word_rate: float = 1e-3
    dimensions: int = 128
    hidden: int = 32
    seed: int = 13


def train(
    train_rows: Sequence[LabelledContext],
    dev_rows: Sequence[LabelledContext],
    leaned: Leaned,
    out: Path,
    *,
    allowed: Callable[[LabelledContext], Allowed],
    settings: Settings,
    progress: Progress = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Train, and write the graph and its description to `out`; returns the latter.

    `allowed` says which papers a context may be given. What was gathered is found again by a run
    that was broken off.

    Raises:
        TrainingError: a package is missing, the contexts cite too few of the papers, or the query
            encoder does not tell how it reads.
        OSError: `out` cannot be written.
    """
    require("torch", "onnx")
    from cite_lsp.train.rankers.interaction import write_graph

    signs = signs_of(leaned.query_encoder)
    kept = out / CHECKPOINTS
    about = {"encoder": leaned.encoder.fingerprint, "words": leaned.words.fingerprint}
    about["query_encoder"] = leaned.query_encoder.fingerprint
    asked = {"train": _askable(train_rows, leaned), "dev": _askable(dev_rows, leaned)}
    data = {part: columns_of_contexts(rows) for part, rows in asked.items()}
    data["papers"] = {"id": list(leaned.corpus.row_of)}
    run = {"recipe": NAME, "trees": leaned.ranker.fingerprint, "seed": settings.seed}
    claim(kept, {**run, **about, "data": digest_of(data)})
    learned, checked = (
        keep_groups(
            list(enumerate(rows)),
            partial(_group, leaned, allowed, settings.seed, part == "train"),
            COLUMNS,
            kept / part,
            partial(progress, f"{part} contexts"),
        )
        for part, rows in asked.items()
    )
    network = fit(asked["train"], learned, leaned, signs, settings, progress)
    example = next(_batches([0], asked["train"], learned, leaned, signs, 1))
    write_graph(network, out / "model.onnx", example[0])
    interaction = LateInteraction(out / "model.onnx", leaned.words, signs)
    task = Task(asked["dev"], checked, leaned)
    scores = task.scores(interaction, partial(progress, "dev contexts told apart"))
    stage, figures = choose(task, scores, interaction)
    config = {
        "name": NAME,
        **about,
        "signs": asdict(signs),
        "first": stage.first,
        "weight": stage.weight,
        "temperature": stage.temperature,
        "settings": asdict(settings),
        "papers": len(leaned.corpus),
        "train_contexts": len(learned.sizes),
        "dev_contexts": len(asked["dev"]),
        "dev": figures,
    }
    write_config(out, config)
    finish(out)
    return config


def signs_of(query_encoder: Encoder) -> Signs:
    """Return the tokens that stand for no word in what contexts ask with.

    Raises:
        TrainingError: the query encoder does not tell how it reads.
    """
    reading = reading_of(query_encoder, f"{HERE} {BETWEEN}")
    if reading is None:
        raise TrainingError(
            f"{query_encoder.name}: does not tell how it reads words; give it that with"
            " python -m cite_lsp.train.run.export --states"
        )
    start, here, border = reading.tokens[:3].tolist()
    return Signs(here, border, start)


def _askable(rows: Sequence[LabelledContext], leaned: Leaned) -> list[LabelledContext]:
    """Return the contexts that cite a paper of the pool with an abstract.

    Raises:
        TrainingError: there are none.
    """
    found = [row for row in rows if rows_of(row, leaned.corpus)]
    if not found:
        raise TrainingError("no context cites one of the papers; check that ids are the same")
    return found


def _group(
    leaned: Leaned,
    allowed: Callable[[LabelledContext], Allowed],
    seed: int,
    learning: bool,
    numbered: tuple[int, LabelledContext],
) -> Group | None:
    """Return the candidates of a context: its number, rows, logits by the trees.

    Those to learn from are chosen; of a context to check all, even where it finds nothing.
    """
    number, row = numbered
    corpus = leaned.corpus
    asked = Asked(
        read_query(row.context),
        row.year,
        leaned.query_encoder.encode([asking_text(row.context)])[0],
        leaned.encoder.encode([row.context.title])[0],
    )
    rows, matrix = leaned.retrieval.gather(
        asked,
        allowed=allowed(row),
        section=section_seen(row, "before", corpus.row_of),
        without=_document(row, leaned) if learning else -1,
    )
    logits = leaned.ranker.logits(matrix)
    labels = labels_of(row, rows, corpus.row_of)
    columns = np.stack([np.full(len(rows), number), rows, logits], axis=1)
    if learning:
        if not labels.any():
            return None
        chosen = _learned_from(matrix, logits, labels, f"{seed} {row.context_id}")
        columns, labels = columns[chosen], labels[chosen]
    return columns.astype(np.float32), labels


def _document(row: LabelledContext, leaned: Leaned) -> int:
    """Return the number of a context's document among the precedents, -1 where they lack it."""
    place = leaned.corpus.row_of.get(row.citing_id)
    paper = leaned.corpus.paper(place) if place is not None else None
    key = document_key(paper, row.context.title)
    found = np.flatnonzero(leaned.precedents.documents == np.uint64(key))
    return int(found[-1]) if key and len(found) else -1


def _learned_from(
    matrix: NDArray[np.float32], logits: Column, labels: NDArray[np.int8], seed: str
) -> NDArray[np.int64]:
    chosen = {*np.flatnonzero(labels).tolist(), *np.argsort(-logits)[:HARDEST].tolist()}
    for name in ORDERS:
        values = np.nan_to_num(matrix[:, FEATURE_PLACE[name]], nan=-np.inf)
        chosen.update(np.argsort(-values)[:OF_EACH].tolist())
    count = min(BY_CHANCE, len(labels))
    chosen.update(random.Random(seed).sample(range(len(labels)), count))
    return np.array(sorted(chosen), dtype=np.int64)


def fit(
    rows: Sequence[LabelledContext],
    groups: Groups,
    leaned: Leaned,
    signs: Signs,
    settings: Settings,
    progress: Progress,
) -> Network:
    """Fit the network to groups of candidates of contexts."""
    import torch

    torch.manual_seed(settings.seed)
    dice = np.random.default_rng(settings.seed)
    network = _begun(rows, leaned, signs, settings, dice)
    single = [network.asked_words.weight, network.title_words.weight]
    others = [one for one in network.parameters() if all(one is not of for of in single)]
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
        for batch, labels in _batches(order, rows, groups, leaned, signs, size, dice):
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
    leaned: Leaned,
    signs: Signs,
    settings: Settings,
    dice: np.random.Generator,
) -> Network:
    """Return a network whose maps compare words as the static encoder does."""
    from cite_lsp.train.rankers.interaction import Network, first_maps

    sample = dice.permutation(len(rows))[:MAPPED_FROM].tolist()
    read = [
        asked_of(reading_of_context(rows[number], leaned), leaned.words, signs) for number in sample
    ]
    words = [one.tokens != signs.here for one in read]
    vocabulary = np.arange(leaned.words.vocabulary)
    states, alone = first_maps(
        leaned.words.words(vocabulary),
        np.concatenate([one.states[kept] for one, kept in zip(read, words, strict=True)]),
        np.concatenate([one.words[kept] for one, kept in zip(read, words, strict=True)]),
        settings.dimensions,
    )
    return Network(states, alone, _rarity(leaned), settings.hidden)


def _rarity(leaned: Leaned) -> Column:
    """Return how rare tokens are in the titles of the pool, 1 in the mean, shape (v,)."""
    corpus = leaned.corpus
    titles = [corpus.title(row) for row in range(len(corpus))]
    with_word = np.zeros(leaned.words.vocabulary)
    for tokens in leaned.words.tokens(titles):
        with_word[list(set(tokens))] += 1
    rarity = np.log((len(titles) + 1) / (with_word + 1))
    return np.asarray(rarity / rarity.mean(), dtype=np.float32)


def _batches(
    order: Sequence[int],
    rows: Sequence[LabelledContext],
    groups: Groups,
    leaned: Leaned,
    signs: Signs,
    size: int,
    dice: np.random.Generator | None = None,
) -> Iterator[tuple[Batch, Any]]:
    """Yield groups in batches, with what their contexts cite, (b, c).

    Of a group with too many candidates some are chosen by chance.
    """
    import torch

    from cite_lsp.train.rankers.interaction import Batch

    ends = np.cumsum(groups.sizes)
    for start in range(0, len(order), size):
        asked, titles, labels = [], [], []
        for number in order[start : start + size]:
            own = np.arange(ends[number] - groups.sizes[number], ends[number])
            own = _fewer(own, groups.relevance[own] > 0, dice)
            row = rows[int(groups.features[own[0], CONTEXT])]
            asked.append(asked_of(reading_of_context(row, leaned), leaned.words, signs))
            papers = groups.features[own, ROW].astype(np.int64)
            told = [leaned.corpus.title(paper) for paper in papers.tolist()]
            titles.append(tokens_of_titles(told, leaned.words))
            labels.append(groups.relevance[own] > 0)
        tokens = _filled(titles)
        batch = Batch(
            tokens=torch.from_numpy(_filled([one.tokens for one in asked])),
            states=torch.from_numpy(_filled([one.states for one in asked])),
            words=torch.from_numpy(_filled([one.words for one in asked])),
            places=torch.from_numpy(_filled([one.places for one in asked])),
            titles=torch.from_numpy(tokens),
            title_words=torch.from_numpy(leaned.words.words(tokens)),
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
    shape = np.max([one.shape for one in arrays], axis=0)
    whole = np.zeros((len(arrays), *shape), dtype=arrays[0].dtype)
    for number, one in enumerate(arrays):
        whole[number][tuple(map(slice, one.shape))] = one
    return whole
