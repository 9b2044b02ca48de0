"""Recipe `blsrec`: the maps of BLSRec I, II or III, from contexts and the papers they cite.

By online WARP as published, or in batches; both stop when held-out contexts gain no more. With a
base, a trained model goes on from where it is, with new pairs and new words, and with the terms of
a higher variant: III begins where II ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import numpy as np
from attrs import asdict, evolve, frozen

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.evaluate.tasks.bilingual import SPLITS, split_by_context
from cite_lsp.option_types import OptionGroup
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
from cite_lsp.translate.lexicon import Lexicon
from cite_lsp.translate.translator import DictionaryTranslator

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
    group.add_argument(
        "--split",
        choices=SPLITS,
        help="context: as published, the contexts of --contexts and then --dev are dealt out by"
        " chance, a tenth of them to stop by, and another kept from the training, which `eval"
        " bilingual` measures on with the same files in this order",
    )
    group.add_argument(
        "--lexicon",
        type=Path,
        metavar="DIR",
        help="the lexicon to translate with, if the one that ships was learned from contexts that"
        " will be measured on",
    )


def run(job: Job) -> list[Figures]:
    """Train a model, write it with its card; returns MAP epoch by epoch."""
    options = job.options
    papers = job.papers()
    learn: Sequence[LabelledContext]
    check: Sequence[LabelledContext]
    learn, check = job.contexts_and_dev()
    if options.split == "context":
        learn, check, _ = split_by_context([*learn, *check], job.seed)
    bags = shipped_bags()
    if options.lexicon is not None:
        bags = Bags(DictionaryTranslator(Lexicon.open(options.lexicon)))
    result = train(
        TrainingData(learn, check, [*papers.values()], bags),
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
