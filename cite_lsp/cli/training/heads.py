"""`train RECIPE --head`: what an encoder would learn as a linear map of vectors that stay."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cite_lsp.cli import CommandError
from cite_lsp.cli.options import add_paths
from cite_lsp.cli.output import Problems, Stages, warn
from cite_lsp.cli.training.options import chosen
from cite_lsp.cli.training.training import contexts_in, one_line_errors, pool_file, print_figures

if TYPE_CHECKING:
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.encode import Encoder, Vectors
    from cite_lsp.evaluate.tasks.phases import PhaseTask
    from cite_lsp.search.corpus.index import CorpusIndex
    from cite_lsp.train.encoders.encoder_run import RunResult
    from cite_lsp.train.encoders.heads import HeadSettings, Matrix
    from cite_lsp.train.published.tanaka_heads import HeadData
    from cite_lsp.train.run.card import Origin

    Train = Callable[[argparse.Namespace, Stages, Problems, Origin], RunResult]

RECIPES = ("tanaka-phase1", "tanaka-phase2", "mp-bert4cr")
_SETTINGS = ("epochs", "batch", "learning_rate", "patience")
_PHASE = ("papers", "head", "base", "negatives", *_SETTINGS, "sample", "pool", "among")
TAKES = {
    "tanaka-phase1 --head": _PHASE,
    "tanaka-phase2 --head": _PHASE,
    "mp-bert4cr --head": (*_PHASE, "ablate"),
}
"""The options that the heads of each take beside those of all recipes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("heads", "options of " + ", ".join(RECIPES))
    group.add_argument(
        "--head",
        action="store_true",
        help="train a linear map of the base's vectors and not the base: minutes on a CPU, and"
        " papers that the base has embedded need not be embedded again; --pool is then that of"
        " `eval local`",
    )
    add_paths(group, "--among", help="contexts whose papers are in the --pool of a --head too")


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train, write the head with its card, and print what it is worth beside its base."""
    return run_training(_train, options, data, command)


def run_training(train: Train, options: argparse.Namespace, data: str, command: str) -> int:
    """Let `train` write a head with its card, and print what it is worth beside its base."""
    from cite_lsp.train.run.card import Origin

    pool_file(options)
    with one_line_errors(options.out) as (stages, problems):
        result = train(options, stages, problems, Origin(data, command))
    print_figures({"base": result.before, "head": result.after})
    warn(f"{options.out}: step {result.best_step:,} of {result.steps:,}")
    return 0


def _train(
    options: argparse.Namespace, stages: Stages, problems: Problems, origin: Origin
) -> RunResult:
    """Train a head and write it with its card; return what it is worth."""
    import numpy as np

    from cite_lsp.encode.model import unit
    from cite_lsp.evaluate.pool import pool_vectors
    from cite_lsp.evaluate.tasks.phases import PhaseTask
    from cite_lsp.recommend.query.query import macro_window, wide_window
    from cite_lsp.train.encoders.head_publish import publish_head
    from cite_lsp.train.encoders.heads import HeadSettings
    from cite_lsp.train.encoders.triplet_run import NEGATIVES
    from cite_lsp.train.published import mp_bert4cr
    from cite_lsp.train.published.tanaka_heads import HeadData

    settings = HeadSettings(seed=options.seed, **chosen(options, *_SETTINGS))
    learn, check, pool = _read(options, stages, problems)
    base, encode = base_of(options, stages)
    papers = unit(np.asarray(pool_vectors(pool, base, stages.show)))
    names = sorted(name for name, row in pool.row_of.items() if pool.has_abstract[row])
    asked = [row for row in check if row.cited_abs]
    macro = options.recipe == mp_bert4cr.NAME
    text = macro_window if macro else wide_window
    task = PhaseTask(pool, papers, asked, encode([text(row.context) for row in asked]))
    negatives = options.negatives or NEGATIVES
    matrix, result, told = _fit(
        options,
        HeadData(learn, pool.row_of, names, papers),
        encode,
        task,
        settings,
        negatives,
        lambda done, total: stages.show("training", done, total),
    )
    publish_head(
        matrix,
        options.out,
        options.recipe,
        base,
        settings,
        result,
        origin,
        task=f"{len(pool):,} papers, {told}",
        negatives=negatives,
        **(mp_bert4cr.told_of(options.ablate or ()) if macro else {}),
    )
    return result


def _fit(
    options: argparse.Namespace,
    data: HeadData,
    encode: Callable[[Sequence[str]], Vectors],
    task: PhaseTask,
    settings: HeadSettings,
    negatives: int,
    progress: Callable[[int, int], None],
) -> tuple[Matrix, RunResult, str]:
    """Learn the head of a recipe; return it, what it is worth, and what that was measured on.

    Raises:
        CommandError: nothing that is measured on says when to stop.
    """
    from cite_lsp.evaluate.tasks.phases import DEPTH
    from cite_lsp.train.published import mp_bert4cr, tanaka_heads, tanaka_phase2

    second = options.recipe == tanaka_phase2.NAME
    require_answerable(task, second=second)
    if second:
        found = tanaka_heads.train_phase2(
            data, task.reorder, settings, negatives=negatives, progress=progress
        )
        told = f"the order of the {DEPTH} papers that the base finds, all of the section known"
        return *found, told
    if options.recipe == mp_bert4cr.NAME:
        found = mp_bert4cr.train_head(
            data,
            encode,
            task.find,
            settings,
            negatives=negatives,
            ablate=options.ablate or (),
            progress=progress,
        )
    else:
        found = tanaka_heads.train_phase1(
            data, encode, task.find, settings, negatives=negatives, progress=progress
        )
    return *found, "every paper of the pool ranked"


def require_answerable(task: PhaseTask, *, second: bool) -> None:
    """Make sure that phase 1, or the second, can be measured while it is trained.

    Raises:
        CommandError: nothing that is measured on says when to stop.
    """
    if not task.answerable[second]:
        raise CommandError(
            "the contexts of --dev cite none of the papers, or their sections do not, so that"
            " nothing says when to stop; check that both name papers by the same ids"
        )


def _read(
    options: argparse.Namespace, stages: Stages, problems: Problems
) -> tuple[list[LabelledContext], list[LabelledContext], CorpusIndex]:
    """Return the contexts to learn from, those to measure with, and the pool of both."""
    from cite_lsp.corpus.contexts import read_contexts
    from cite_lsp.corpus.formats.papers import read_papers
    from cite_lsp.evaluate.pool import choose_pool, open_pool
    from cite_lsp.train.data.encoder_data import sampled

    papers = pool_file(options)
    learn, check = (contexts_in(paths, problems) for paths in (options.contexts, options.dev))
    if options.sample is not None:
        learn = list(sampled(learn, options.sample, options.seed))
    among = None
    if options.pool is not None:
        files = sorted({*options.contexts, *options.dev, *options.among})
        cited = (row for path in files for row in read_contexts(path))
        among = choose_pool(read_papers(papers, problems.add), cited, options.pool)
    pool = open_pool(papers, options.base, among=among, stage=stages.show, report=problems.add)
    return learn, check, pool


def base_of(
    options: argparse.Namespace, stages: Stages
) -> tuple[Encoder, Callable[[Sequence[str]], Vectors]]:
    """Return the base as it embeds the pool, and what embeds contexts with it, uncut."""
    from cite_lsp.encode import load_encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.encode.headed import HeadedEncoder
    from cite_lsp.evaluate.pool import MAX_TOKENS

    base = load_encoder(options.base, threads=os.cpu_count() or 1, max_tokens=MAX_TOKENS)
    if isinstance(base, HeadedEncoder):
        raise CommandError(f"{options.base} is a head itself; name an encoder with --base")
    reader = CachedEncoder(
        load_encoder(options.base, threads=os.cpu_count() or 1), remembered=50_000
    )

    def encode(texts: Sequence[str]) -> Vectors:
        return reader.encode(
            texts, progress=lambda count: stages.advance("encoding contexts", count)
        )

    return base, encode
