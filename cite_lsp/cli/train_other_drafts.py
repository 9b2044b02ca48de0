"""`train other-drafts`: how much the writer's other drafts weigh."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from cite_lsp.cli.output import weights_table
from cite_lsp.cli.training import contexts_in, one_line_errors, papers_in

RECIPE = "other-drafts"
TAKES = {RECIPE: ("papers", "earlier", "without")}
"""The options that it takes beside those of all recipes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that this recipe has beside those of all recipes."""
    group = parser.add_argument_group("other drafts", f"options of {RECIPE}")
    group.add_argument(
        "--earlier",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="contexts of further documents: what writers wrote before",
    )


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Fit the weights, write them with their card, and print what they are worth."""
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.corpus.records import RecordError
    from cite_lsp.encode import EncoderError, load_encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.recommend.asking import kept_query_encoder
    from cite_lsp.recommend.ranker import RankerError
    from cite_lsp.train.errors import TrainingError
    from cite_lsp.train.questions import Question
    from cite_lsp.train.recipes import other_drafts
    from cite_lsp.train.weights_card import OTHER_DRAFTS, write_weights_card

    with one_line_errors(options.out, RecordError, EncoderError, RankerError, TrainingError) as (
        stages,
        problems,
    ):
        learn, check, earlier = (
            contexts_in(paths, options.without, problems)
            for paths in (options.contexts, options.dev, options.earlier)
        )
        everything = [*earlier, *learn, *check]
        wanted = {name for row in everything for name in (*row.cited, row.citing_id)}
        papers = papers_in(options.papers, wanted, problems)
        encoder = CachedEncoder(
            load_encoder(threads=os.cpu_count() or 1), remembered=200_000, kept=500_000
        )

        def asked(rows: list[LabelledContext], stage: str) -> list[Question]:
            return other_drafts.ask(
                rows,
                everything,
                papers,
                encoder,
                kept_query_encoder(),
                seed=options.seed,
                progress=lambda done, total: stages.show(f"drafts, {stage}", done, total),
            )

        learned, held_out = asked(learn, "learned from"), asked(check, "measured on")
        config = other_drafts.write(options.out, learned, held_out, options.seed)
        write_weights_card(options.out, config, OTHER_DRAFTS, data=data, command=command)
    print(weights_table(config, "other drafts"))
    return 0
