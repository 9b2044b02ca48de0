"""Recipe `blsrec`: the maps of BLSRec I, II or III, from contexts and the papers they cite.

By online WARP as published, or in batches; both stop when held-out contexts gain no more. With a
base, a trained model goes on from where it is, with new pairs and new words, and with the terms of
a higher variant: III begins where II ended.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import numpy as np
from attrs import asdict, evolve, frozen

from cite_lsp.encode.checkpoints import checksum_of
from cite_lsp.option_types import OptionGroup
from cite_lsp.paths import cache_folder
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.published.bilingual_bags import Bags, shipped_bags
from cite_lsp.recommend.published.blsrec import CONFIG, MODEL, VARIANTS, BlsRecModel
from cite_lsp.train.published.blsrec_batches import SoftmaxBatches, lexicon_maps
from cite_lsp.train.published.blsrec_examples import (
    ExampleSet,
    Maps,
    TrainingData,
    make_examples,
    mean_average_precision,
)
from cite_lsp.train.published.warp import LEARNING_RATE, OnlineWarp, random_maps
from cite_lsp.train.run.card import Card, Origin, settings_line
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import DATA
from cite_lsp.train.run.report import Figures, Progress, Steps, TrainingError, require

NAME = "blsrec"
TAKES = (*DATA, "base", "dimensions", "epochs", "patience", "learning_rate")

Algorithm = Literal["warp", "batches"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)


def add_arguments(group: OptionGroup) -> None:
    """Declare the options that this recipe has beside those of several."""
    group.add_argument("--variant", type=int, choices=[*VARIANTS], help="I, II or III (3)")
    group.add_argument(
        "--algorithm",
        choices=ALGORITHMS,
        help="in batches from weights by the lexicon, the default, or online WARP from random ones"
        " as published",
    )


def run(job: Job) -> list[Figures]:
    """Train a model, write it with its card; returns MAP epoch by epoch."""
    options = job.options
    papers = job.papers()
    learn, check = job.contexts_and_dev()
    result = train(
        TrainingData(learn, check, [*papers.values()], shipped_bags()),
        job.out,
        job.settings(Settings()),
        base=None if options.base == "default" else Path(options.base),
        progress=job.progress,
    )
    figures = write_card(job.out, job.origin, result.model.facts)
    note = f"{job.out}: the weights of epoch {result.best_epoch}"
    return [evolve(table, note=note) for table in figures]


@frozen
class Settings:
    """What decides the result, beside the data; a rate of 0 is the algorithm's own.

    Batches start by the lexicon, WARP at random. The published ones are variant I to III, algorithm
    warp, 100 dimensions.
    """

    variant: int = 3
    algorithm: Algorithm = "batches"
    dimensions: int = 100
    epochs: int = 40
    patience: int = 3
    learning_rate: float = 0.0
    seed: int = 13


@frozen(eq=False)
class Result:
    """The trained model, and MAP on held-out contexts before training and after each epoch."""

    model: BlsRecModel
    history: tuple[float, ...]

    @property
    def best_epoch(self) -> int:
        """The epoch with the best weights; 0 is the start."""
        return int(np.argmax(self.history))


def train(
    data: TrainingData,
    out: Path,
    settings: Settings,
    *,
    base: Path | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Result:
    """Train a model and write it to `out`.

    Raises:
        TrainingError: nothing can be learned from this data, or the base does not fit.
        OSError: `out` cannot be written.
    """
    require("scipy")
    base_model = _base(base, settings)
    examples = make_examples(
        data,
        settings.variant,
        base_vocabularies=base_model.vocabularies if base_model else None,
        progress=progress,
    )
    trainer = _trainer(examples, data.bags, settings, base_model)
    maps, history = _learn(trainer, examples, settings, progress)
    facts = {
        "settings": asdict(settings),
        "base": base.name if base else None,
        "pairs": len(examples.learn.pairs),
        "contexts": len(examples.learn.cited),
        "dev_contexts": len(examples.check.cited),
        "papers": examples.learn.pool,
        "history": [round(value, 4) for value in history],
    }
    model = BlsRecModel(settings.variant, examples.vocabularies, maps, facts)
    model.save(out)
    return Result(model, tuple(history))


class Trainer(Protocol):
    """Either algorithm."""

    maps: Maps

    def epoch(self, number: int, progress: Steps = ...) -> None:
        """Visit every pair once."""


def _learn(
    trainer: Trainer, examples: ExampleSet, settings: Settings, progress: Progress
) -> tuple[Maps, list[float]]:
    """Train until nothing is gained; returns the best maps, and MAP before and after each epoch."""
    history, best = [mean_average_precision(examples.check, trainer.maps)], _copied(trainer.maps)
    while len(history) <= settings.epochs and not _over(history, settings.patience):
        number = len(history)
        trainer.epoch(number, partial(progress, f"epoch {number}"))
        history.append(mean_average_precision(examples.check, trainer.maps))
        progress(f"epoch {number}, MAP {history[-1]:.4f}", 1, 1)
        if history[-1] > max(history[:-1]):
            best = _copied(trainer.maps)
    return best, history


def _copied(maps: Maps) -> Maps:
    return {name: (context.copy(), paper.copy()) for name, (context, paper) in maps.items()}


def trained(
    data: TrainingData,
    settings: Settings,
    *,
    progress: Progress = lambda stage, done, total: None,
) -> Path:
    """Return the folder of the model that this data and these settings give, in the cache.

    It is trained when it is not there yet. III in batches begins where II ended, whose terms stay
    as they are: the abstract, the same for all contexts of a draft, learns what they leave. Beside
    terms that learn too it would be believed too soon.

    Raises:
        TrainingError: nothing can be learned from this data, or the cache cannot be written.
    """
    base = None
    if settings.variant == max(VARIANTS) and settings.algorithm == "batches":
        second = evolve(settings, variant=settings.variant - 1)
        base = trained(data, second, progress=progress)
    identity = json.dumps(_identity(data, settings, base), sort_keys=True)
    name = hashlib.blake2b(identity.encode(), digest_size=8).hexdigest()
    folder = cache_folder() / "blsrec" / name
    try:
        BlsRecModel.open(folder)
    except RankerError:
        try:
            train(data, folder, settings, base=base, progress=progress)
        except OSError as error:
            reason = error.strerror or error
            raise TrainingError(
                f"{folder}: cannot be written ({reason}); set CITE_LSP_HOME to another folder"
            ) from error
    return folder


def _base(folder: Path | None, settings: Settings) -> BlsRecModel | None:
    if folder is None:
        return None
    try:
        model = BlsRecModel.open(folder)
    except RankerError as error:
        raise TrainingError(str(error)) from error
    if model.variant > settings.variant or model.dimensions != settings.dimensions:
        raise TrainingError(
            f"{folder}: is variant {model.variant} of {model.dimensions} dimensions; go on with"
            " the same or a higher variant of as many, or leave out --base"
        )
    return model


def _trainer(
    examples: ExampleSet, bags: Bags, settings: Settings, base_model: BlsRecModel | None
) -> Trainer:
    learn, seed, rate = examples.learn, settings.seed, settings.learning_rate
    if settings.algorithm == "warp":
        maps = random_maps(learn, settings.dimensions, seed)
    else:
        maps = lexicon_maps(learn, examples.vocabularies, bags, settings.dimensions, seed)
    if base_model is not None:
        for name, learned in base_model.maps.items():
            for table, rows in zip(maps[name], learned, strict=True):
                table[: len(rows)] = rows  # the words of the base stand first
    if settings.algorithm == "warp":
        return OnlineWarp(learn, maps, seed=seed, learning_rate=rate or LEARNING_RATE)
    return SoftmaxBatches(
        learn,
        maps,
        seed=seed,
        learning_rate=rate,
        frozen=tuple(base_model.maps)
        if base_model and base_model.variant < settings.variant
        else (),
    )


def _over(history: Sequence[float], patience: int) -> bool:
    return len(history) - 1 - int(np.argmax(history)) >= patience


def _identity(data: TrainingData, settings: Settings, base: Path | None) -> dict[str, object]:
    """Say what decides the result: the settings, and every text whose words are counted."""
    contexts = {
        part: {
            "text": [f"{row.context.left} {row.context.right}" for row in rows],
            "abstract": [row.context.abstract for row in rows],
            "cited": [" ".join(row.cited) for row in rows],
        }
        for part, rows in (("learn", data.learn), ("check", data.check))
    }
    pool = {
        "id": [paper.id for paper in data.papers],
        "title": [paper.title for paper in data.papers],
        "abstract": [paper.abstract for paper in data.papers],
        "authors": [" and ".join(paper.authors) for paper in data.papers],
    }
    return {
        "recipe": NAME,
        "settings": asdict(settings),
        "base": checksum_of(base / MODEL) if base else None,
        "words": data.bags.fingerprint,
        "data": _digest(contexts | {"papers": pool}),
    }


def _digest(data: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    digest = hashlib.blake2b(digest_size=12)
    for name, columns in data.items():
        for column, texts in columns.items():
            digest.update(f"{name} {column} {len(texts)}\n".encode())
            for text in texts:
                digest.update(text.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()


def write_card(folder: Path, origin: Origin, facts: Mapping[str, Any]) -> list[Figures]:
    """Write the card beside a model, from what its training remembers; returns its figures.

    Raises:
        OSError: it cannot be written.
    """
    settings = facts["settings"]
    rows = {
        "start" if epoch == 0 else f"epoch {epoch}": {"MAP": value}
        for epoch, value in enumerate(facts["history"])
    }
    figures = [Figures(rows, digits=4)]
    terms = (
        f"{term.context} × {term.paper}{' with identity' if term.identity else ''}"
        for term in VARIANTS[settings["variant"]]
    )
    described = {
        "number": "I" * settings["variant"],
        "dimensions": settings["dimensions"],
        "terms": ", ".join(terms),
        "settings": settings_line({name: value for name, value in settings.items() if value}),
        "base": f", going on from `{facts['base']}`" if facts["base"] else "",
    }
    return CARD.write(folder, origin, figures, **{**facts, **described})


CARD = Card(
    what="""\
BLSRec {number} (Tang, Wan, Zhang, SIGIR 2014): scores English papers for a Chinese context by
linear maps of TF-IDF vectors into a space of {dimensions} dimensions
(`cite_lsp/recommend/published/blsrec.py`). Terms: {terms}.""",
    data="""\
{contexts:,} contexts, {pairs:,} pairs of a context and a paper it cites, {papers:,} papers, and
{dev_contexts:,} held-out contexts to stop by: {data}""",
    recipe="`{file}`, {settings}{base}.",
    form="""\
safetensors, compressed with Zstandard: the words of both languages with their idf, and two maps a
term in sixteen bits.""",
    licence="""\
CC BY-SA 3.0, as the words and their translations come from [zh-lexicon](../zh-lexicon/README.md),
which contains CC-CEDICT. No text of the data is in it.""",
    measured="""\
MAP on the held-out contexts over all papers (what `eval bilingual` finds is in
docs/methods.md):""",
    files=(MODEL, CONFIG),
)
