"""`train library-ranker`: the second stage that ranks a writer's own library."""

from __future__ import annotations

import argparse

from cite_lsp.cli.training.training import (
    contexts_in,
    drafts_encoder,
    one_line_errors,
    papers_in,
    print_ranker,
    query_encoder_in,
)

RECIPE = "library-ranker"
TAKES = {RECIPE: ("papers", "without", "query_encoder")}
"""The options that it takes beside those of all recipes."""


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train, write trees and card, and print what they are worth beside single orders."""
    from cite_lsp.recommend.query.encoder_input import shipped_query_encoder
    from cite_lsp.train.data.drafts import FORWARD
    from cite_lsp.train.rankers import library_ranker
    from cite_lsp.train.run.card import write_ranker_card

    with one_line_errors(options.out) as (stages, problems):
        learn, check = (
            contexts_in(paths, problems, options.without)
            for paths in (options.contexts, options.dev)
        )
        wanted = library_ranker.papers_cited([*learn, *check])
        papers = papers_in(options.papers, problems, wanted)
        encoder = drafts_encoder()
        query_encoder, placing = query_encoder_in(
            options.query_encoder, [*learn, *check], shipped_query_encoder
        )
        config = library_ranker.train(
            learn,
            check,
            papers,
            encoder,
            query_encoder,
            options.out,
            placing=placing,
            seed=options.seed,
            progress=lambda stage, done, total: stages.show(f"drafts, {stage}", done, total),
        )
        write_ranker_card(
            options.out,
            config,
            data=data,
            command=command,
            forward=FORWARD,
        )
    print_ranker(config, "markers")
    return 0
