"""`train co-citation-head`: its options, its data, its figures."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cite_lsp.cli.options import positive
from cite_lsp.cli.training.heads import base_of, require_answerable, run_training
from cite_lsp.cli.training.options import chosen
from cite_lsp.cli.training.training import contexts_in, edges_in, pool_file

if TYPE_CHECKING:
    from cite_lsp.cli.output import Problems, Stages
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.train.encoders.encoder_run import RunResult
    from cite_lsp.train.run.card import Origin

RECIPE = "co-citation-head"
_SETTINGS = ("hidden", "epochs", "batch", "learning_rate")
TAKES = {RECIPE: ("papers", "base", "edges", *_SETTINGS)}
"""The options that it takes beside those of all recipes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the one that no other recipe takes."""
    group = parser.add_argument_group("co-citation head", f"options of {RECIPE}")
    group.add_argument("--hidden", type=positive, metavar="N", help="hidden units (1,536)")


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train, write the head with its card, and print what it is worth beside its base."""
    return run_training(_train, options, data, command)


def _train(
    options: argparse.Namespace, stages: Stages, problems: Problems, origin: Origin
) -> RunResult:
    import numpy as np

    from cite_lsp.encode.model import unit
    from cite_lsp.evaluate.pool import open_pool, pool_vectors
    from cite_lsp.evaluate.tasks.phases import DEPTH, PhaseTask
    from cite_lsp.recommend.query.query import wide_window
    from cite_lsp.train.encoders.head_publish import publish_head
    from cite_lsp.train.encoders.network import NetworkSettings
    from cite_lsp.train.published import cocitation_head

    settings = NetworkSettings(seed=options.seed, **chosen(options, *_SETTINGS))
    learn, check = (contexts_in(paths, problems) for paths in (options.contexts, options.dev))
    pool = open_pool(pool_file(options), options.base, stage=stages.show, report=problems.add)
    base, encode = base_of(options, stages)
    papers = unit(np.asarray(pool_vectors(pool, base, stages.show)))

    def task(rows: list[LabelledContext]) -> PhaseTask:
        asked = [row for row in rows if row.cited_abs]
        placed = encode([wide_window(row.context) for row in asked])
        return PhaseTask(pool, papers, asked, placed, masked=True)

    measured = task(check)
    require_answerable(measured, second=True)
    drawn_from = np.flatnonzero(pool.has_abstract)
    allowed = {name: row for name, row in pool.row_of.items() if pool.has_abstract[row]}
    sections, references = cocitation_head.groups_of(
        learn, edges_in(options.edges, problems), allowed
    )
    head, result = cocitation_head.train(
        papers,
        drawn_from,
        cocitation_head.found_for(task(learn).found, pool.row_of),
        sections,
        references,
        lambda head: measured.reorder_by(head.place(papers)),
        settings,
        lambda done, total: stages.show("training", done, total),
    )
    publish_head(
        head,
        options.out,
        RECIPE,
        base,
        settings,
        result,
        origin,
        task=f"{len(pool):,} papers, the order of the {DEPTH} papers that the base finds, masked",
    )
    return result
