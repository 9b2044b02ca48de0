"""`train cited-before`: how much it weighs in a library how others cited its papers before."""

from __future__ import annotations

import argparse
import os

from cite_lsp.cli.output import weights_table
from cite_lsp.cli.training import contexts_in, one_line_errors, papers_in

RECIPE = "cited-before"
TAKES = {RECIPE: ("papers", "without")}
"""The options that it takes beside those of all recipes."""


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Fit the weights, write them with their card, and print what they are worth."""
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.corpus.records import RecordError
    from cite_lsp.encode import EncoderError, load_encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.recommend.asking import kept_query_encoder
    from cite_lsp.recommend.ranker import RankerError
    from cite_lsp.recommend.shipped_learning import shipped_precedents
    from cite_lsp.train.errors import TrainingError
    from cite_lsp.train.questions import Question
    from cite_lsp.train.recipes import cited_before
    from cite_lsp.train.weights_card import CITED_BEFORE, write_weights_card

    with one_line_errors(options.out, RecordError, EncoderError, RankerError, TrainingError) as (
        stages,
        problems,
    ):
        learn, check = (
            contexts_in(paths, options.without, problems)
            for paths in (options.contexts, options.dev)
        )
        wanted = {name for row in (*learn, *check) for name in row.cited}
        papers = papers_in(options.papers, wanted, problems)
        encoder = CachedEncoder(
            load_encoder(threads=os.cpu_count() or 1), remembered=200_000, kept=500_000
        )

        def asked(rows: list[LabelledContext], stage: str) -> list[Question]:
            return cited_before.ask(
                rows,
                papers,
                shipped_precedents(),
                encoder,
                kept_query_encoder(),
                seed=options.seed,
                progress=lambda done, total: stages.show(f"drafts, {stage}", done, total),
            )

        learned, held_out = asked(learn, "learned from"), asked(check, "measured on")
        config = cited_before.write(options.out, learned, held_out, options.seed)
        write_weights_card(options.out, config, CITED_BEFORE, data=data, command=command)
    print(weights_table(config, "precedents"))
    return 0
