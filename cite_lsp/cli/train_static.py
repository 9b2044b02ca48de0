"""`train static-encoder`: word vectors, taught by the encoder that indexed the papers."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.cli.output import Problems, Stages, figure_cells, positive, table
from cite_lsp.cli.training import one_line_errors

if TYPE_CHECKING:
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.encode import Encoder, Vectors
    from cite_lsp.encode.static import StaticConfig
    from cite_lsp.search.corpus_index import CorpusIndex

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
    from cite_lsp.corpus.records import RecordError
    from cite_lsp.encode import EncoderError
    from cite_lsp.search.vectors import SearchIndexError
    from cite_lsp.train.errors import TrainingError

    with one_line_errors(
        options.out, RecordError, EncoderError, SearchIndexError, TrainingError
    ) as (stages, problems):
        figures = _train(options, data, command, stages, problems)
    names = tuple(next(iter(figures.values())))
    body = [[name, *figure_cells(values, names)] for name, values in figures.items()]
    print(table(("development", *names), body))
    return 0


def _train(
    options: argparse.Namespace, data: str, command: str, stages: Stages, problems: Problems
) -> dict[str, dict[str, float]]:
    import os

    from attrs import asdict, evolve

    from cite_lsp.corpus.contexts import read_contexts
    from cite_lsp.encode import load_encoder
    from cite_lsp.encode.checkpoints import find, read_config
    from cite_lsp.encode.static import StaticEncoder
    from cite_lsp.evaluate.pool import MAX_TOKENS, open_pool, pool_vectors
    from cite_lsp.train.card import Origin
    from cite_lsp.train.development import context_task
    from cite_lsp.train.recipes import static_encoder as recipe
    from cite_lsp.train.static_publish import write_static, write_static_card

    folder = find("default")[0].folder
    tokenizer = recipe.open_tokenizer(folder / "tokenizer.json", MAX_TOKENS - 2)
    teacher = load_encoder(device="cpu", threads=os.cpu_count() or 1)
    learn = [row for path in options.contexts for row in read_contexts(path, problems.add)]
    check = [row for path in options.dev for row in read_contexts(path, problems.add)]
    pools = [open_pool(path, stage=stages.show, report=problems.add) for path in options.papers]
    papers = load_encoder(threads=os.cpu_count() or 1, max_tokens=MAX_TOKENS)
    parts = []
    for pool in pools:
        stages.show("tokens", 0, len(pool))
        texts = _texts(pool)
        parts.append(recipe.tokenise(texts, pool_vectors(pool, papers, stages.show), tokenizer))
    further = (
        []
        if options.papers_only
        else [*_titles(pools, options.titles or TITLES, options.seed), *_windows(learn)]
    )
    if further:
        parts.append(recipe.tokenise(further, _taught(teacher, further, stages), tokenizer))
    settings = recipe.Settings(seed=options.seed)
    if options.dimensions:
        settings = evolve(settings, dimensions=options.dimensions)
    if options.epochs:
        settings = evolve(settings, epochs=options.epochs)
    stages.show("the start", 0, 0)
    start, projection = recipe.starting_table(parts, tokenizer, teacher, settings.dimensions)
    fitted = recipe.fit(
        parts,
        start,
        projection,
        settings,
        lambda done, total: stages.show("fitting", done, total),
    )
    known = {
        paper.id: paper
        for pool in pools
        for paper in (pool.paper(row) for row in range(len(pool)))
        if paper.abstract
    }
    task = context_task(check, known, contexts=_DEV_CONTEXTS, size=_DEV_PAPERS, seed=options.seed)
    figures = {"teacher": task.figures(teacher.encode)}

    def written(out: Path, table: Vectors) -> StaticConfig:
        space = recipe.fit_space(parts, table)
        return write_static(
            *(out, table, space, folder / "tokenizer.json"),
            teacher=papers,
            licence=read_config(folder).licence,
        )

    with tempfile.TemporaryDirectory() as scratch:
        written(Path(scratch), start)
        figures["untrained"] = task.figures(StaticEncoder(Path(scratch)).encode)
    config = written(options.out, fitted)
    figures["trained"] = task.figures(StaticEncoder(options.out).encode)
    write_static_card(
        options.out,
        config,
        Origin(data, command),
        figures,
        texts=sum(len(part) for part in parts),
        questions=len(task.questions),
        papers=task.papers,
        settings=asdict(settings),
    )
    return figures


def _texts(pool: CorpusIndex) -> list[str]:
    from cite_lsp.search.texts import encoder_text

    return [encoder_text(pool.paper(row)) for row in range(len(pool))]


def _titles(pools: Sequence[CorpusIndex], count: int, seed: int) -> list[str]:
    """Return titles of the pools chosen by chance: libraries seldom have abstracts."""
    rows = [(pool, row) for pool in pools for row in range(len(pool))]
    chosen = random.Random(f"titles {seed}").sample(rows, min(count, len(rows)))
    return [pool.paper(row).title for pool, row in chosen]


def _windows(rows: Sequence[LabelledContext]) -> list[str]:
    """Return the texts that are asked with: the 50 words either side of each marker."""
    from cite_lsp.recommend.query import read_query

    return [text for row in rows if (text := read_query(row.context).wide)]


def _taught(teacher: Encoder, texts: Sequence[str], stages: Stages) -> Vectors:
    from cite_lsp.encode.cached import CachedEncoder

    return CachedEncoder(teacher, kept=500_000).encode(
        texts, progress=lambda count: stages.advance("teaching", count, len(texts))
    )
