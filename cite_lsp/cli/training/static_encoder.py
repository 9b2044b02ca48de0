"""`train static-encoder`: word vectors, taught by the encoder that indexed the papers."""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from cite_lsp.cli.options import positive
from cite_lsp.cli.output import Problems, Stages
from cite_lsp.cli.training.options import chosen
from cite_lsp.cli.training.training import contexts_in, one_line_errors, print_figures

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.encode import Encoder, Vectors
    from cite_lsp.encode.static import StaticConfig
    from cite_lsp.search.corpus.index import CorpusIndex
    from cite_lsp.train.data.development import DevelopmentTask
    from cite_lsp.train.encoders.static_encoder import TaughtTexts
    from cite_lsp.train.run.card import Origin

RECIPE = "static-encoder"
TAKES = {RECIPE: ("papers", "dimensions", "titles", "papers_only", "epochs")}
"""The options that it takes beside those of all recipes."""
TITLES = 40_000
_DEV_CONTEXTS, _DEV_PAPERS = 400, 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that this recipe has beside those of all recipes."""
    group = parser.add_argument_group("static encoder", f"options of {RECIPE}")
    group.add_argument("--dimensions", type=positive, metavar="N", help="of a vector (256)")
    group.add_argument(
        "--titles",
        type=positive,
        metavar="N",
        help=f"titles taught by themselves, chosen by chance; of cross-lingual, papers without an"
        f" abstract ({TITLES:,})",
    )
    group.add_argument(
        "--papers-only",
        action="store_true",
        default=None,
        help="teach neither titles alone nor contexts, so that the teacher has nothing to encode",
    )


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train the table, write it with its card, and print what it is worth beside the teacher."""
    from cite_lsp.train.run.card import Origin

    with one_line_errors(options.out) as (stages, problems):
        figures = _train(options, stages, problems, Origin(data, command))
    print_figures(figures)
    return 0


@frozen
class _Teacher:
    """The encoder that is learned from: as it embeds any text, and as it has embedded the pools."""

    folder: Path
    tokenizer: Tokenizer
    encoder: Encoder
    of_pools: Encoder


def _train(
    options: argparse.Namespace, stages: Stages, problems: Problems, origin: Origin
) -> dict[str, dict[str, float]]:
    """Train the table and write it with its card; return what it is worth beside the teacher."""
    from attrs import asdict, evolve

    from cite_lsp.evaluate.pool import open_pool
    from cite_lsp.train.encoders import static_encoder as recipe
    from cite_lsp.train.encoders.static_publish import write_static_card

    teacher = _teacher()
    learn, check = (contexts_in(paths, problems) for paths in (options.contexts, options.dev))
    pools = [open_pool(path, stage=stages.show, report=problems.add) for path in options.papers]
    parts = [_of_pool(pool, teacher, stages) for pool in pools]
    if not options.papers_only:
        titles = _titles(pools, options.titles or TITLES, options.seed)
        parts += _taught([*titles, *_windows(learn)], teacher, stages)
    settings = evolve(recipe.Settings(seed=options.seed), **chosen(options, "dimensions", "epochs"))
    stages.show("the start", 0, 0)
    start, projection = recipe.starting_table(
        parts, teacher.tokenizer, teacher.encoder, settings.dimensions
    )
    fitted = recipe.fit(
        parts,
        start,
        projection,
        settings,
        lambda done, total: stages.show("fitting", done, total),
    )
    task = _development(check, pools, options.seed)
    figures = {"teacher": task.figures(teacher.encoder.encode)}
    with tempfile.TemporaryDirectory() as scratch:
        _write(Path(scratch), start, parts, teacher)
        figures["untrained"] = _figures_of(Path(scratch), task)
    config = _write(options.out, fitted, parts, teacher)
    figures["trained"] = _figures_of(options.out, task)
    write_static_card(
        options.out,
        config,
        origin,
        figures,
        texts=sum(len(part) for part in parts),
        questions=len(task.questions),
        papers=task.papers,
        settings=asdict(settings),
    )
    return figures


def _teacher() -> _Teacher:
    """Open the default encoder.

    Raises:
        EncoderError: it is not there, or damaged.
        TrainingError: torch is missing, or its vocabulary is too large for a table.
    """
    from cite_lsp.encode import load_encoder
    from cite_lsp.encode.checkpoints import find
    from cite_lsp.evaluate.pool import MAX_TOKENS
    from cite_lsp.train.encoders.static_encoder import open_tokenizer

    folder, threads = find("default")[0].folder, os.cpu_count() or 1
    return _Teacher(
        folder,
        open_tokenizer(folder / "tokenizer.json", MAX_TOKENS - 2),
        load_encoder(device="cpu", threads=threads),
        load_encoder(threads=threads, max_tokens=MAX_TOKENS),
    )


def _of_pool(pool: CorpusIndex, teacher: _Teacher, stages: Stages) -> TaughtTexts:
    """Return the papers of a pool, where the teacher has put them."""
    from cite_lsp.evaluate.pool import pool_vectors
    from cite_lsp.search.corpus.texts import encoder_text
    from cite_lsp.train.encoders.static_encoder import tokenise

    stages.show("tokens", 0, len(pool))
    texts = [encoder_text(pool.paper(row)) for row in range(len(pool))]
    vectors = pool_vectors(pool, teacher.of_pools, stages.show)
    return tokenise(texts, vectors, teacher.tokenizer)


def _taught(texts: Sequence[str], teacher: _Teacher, stages: Stages) -> list[TaughtTexts]:
    """Return texts where the teacher puts them now: one part, or none where there are no texts."""
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.train.encoders.static_encoder import tokenise

    if not texts:
        return []
    vectors = CachedEncoder(teacher.encoder, kept=500_000).encode(
        texts, progress=lambda count: stages.advance("teaching", count, len(texts))
    )
    return [tokenise(texts, vectors, teacher.tokenizer)]


def _development(
    rows: Sequence[LabelledContext], pools: Sequence[CorpusIndex], seed: int
) -> DevelopmentTask:
    """Return the task that table and teacher are measured on, among papers with an abstract."""
    from cite_lsp.train.data.development import context_task

    papers = (pool.paper(row) for pool in pools for row in range(len(pool)))
    known = {paper.id: paper for paper in papers if paper.abstract}
    return context_task(rows, known, contexts=_DEV_CONTEXTS, size=_DEV_PAPERS, seed=seed)


def _write(
    out: Path, table: Vectors, parts: Sequence[TaughtTexts], teacher: _Teacher
) -> StaticConfig:
    """Write a table as an encoder, with its map into the teacher's space."""
    from cite_lsp.encode.checkpoints import read_config
    from cite_lsp.train.encoders.static_encoder import fit_space
    from cite_lsp.train.encoders.static_publish import write_static

    return write_static(
        out,
        table,
        fit_space(parts, table),
        teacher.folder / "tokenizer.json",
        teacher=teacher.of_pools,
        licence=read_config(teacher.folder).licence,
    )


def _figures_of(folder: Path, task: DevelopmentTask) -> dict[str, float]:
    from cite_lsp.encode.static import StaticEncoder

    return task.figures(StaticEncoder(folder).encode)


def _titles(pools: Sequence[CorpusIndex], count: int, seed: int) -> list[str]:
    """Return titles of the pools chosen by chance: libraries seldom have abstracts."""
    rows = [(pool, row) for pool in pools for row in range(len(pool))]
    chosen = random.Random(f"titles {seed}").sample(rows, min(count, len(rows)))
    return [pool.paper(row).title for pool, row in chosen]


def _windows(rows: Sequence[LabelledContext]) -> list[str]:
    """Return the texts that are asked with: the 50 words either side of each marker."""
    from cite_lsp.recommend.query.query import wide_window

    return [text for row in rows if (text := wide_window(row.context))]
