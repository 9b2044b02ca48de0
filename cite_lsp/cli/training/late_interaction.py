"""`train late-interaction`: the first papers of a corpus told apart word by word."""

from __future__ import annotations

import argparse
import os

from cite_lsp.cli import CommandError
from cite_lsp.cli.training.options import chosen
from cite_lsp.cli.training.training import (
    contexts_in,
    drafts_encoder,
    one_line_errors,
    pool_file,
    print_figures,
)

RECIPE = "late-interaction"
_SETTINGS = ("epochs", "batch", "learning_rate")
TAKES = {RECIPE: ("papers", *_SETTINGS)}
"""The options that it takes beside those of all recipes."""


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train, write the graph with its card, and print what it adds to the trees."""
    from cite_lsp.encode.load import load_encoder
    from cite_lsp.evaluate.pool import open_pool
    from cite_lsp.evaluate.tasks.local import candidates
    from cite_lsp.paths import shipped_model
    from cite_lsp.recommend.base.ranker import RankerError
    from cite_lsp.recommend.corpus.candidates import Retrieval
    from cite_lsp.recommend.corpus.late_interaction import shipped_words
    from cite_lsp.recommend.corpus.models import shipped_learning
    from cite_lsp.recommend.query.encoder_input import NAME
    from cite_lsp.train.rankers import late_interaction
    from cite_lsp.train.rankers.interaction_card import write_interaction_card
    from cite_lsp.train.rankers.interaction_task import Leaned

    pool = pool_file(options)
    settings = late_interaction.Settings(**chosen(options, *_SETTINGS, "seed"))
    with one_line_errors(options.out, RankerError) as (stages, problems):
        corpus = open_pool(pool, stage=stages.show, report=problems.add)
        learned = shipped_learning(corpus.manifest.checkpoint)
        if learned is None:
            raise CommandError(f"{RECIPE} leans on corpus-ranker, which ships for other vectors")
        leaned = Leaned(
            Retrieval(corpus, learned.precedents),
            learned.ranker,
            learned.precedents,
            drafts_encoder(),
            load_encoder(str(shipped_model(NAME)), device="cpu", threads=os.cpu_count() or 1),
            shipped_words(),
        )
        config = late_interaction.train(
            contexts_in(options.contexts, problems),
            contexts_in(options.dev, problems),
            leaned,
            options.out,
            allowed=lambda row: candidates(corpus, row, "cited_abs"),
            settings=settings,
            progress=stages.show,
        )
        write_interaction_card(options.out, config, data=data, command=command)
    print_figures(config["dev"])
    return 0
