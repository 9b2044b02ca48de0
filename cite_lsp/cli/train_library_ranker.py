"""`train library-ranker`: the second stage that ranks a writer's own library."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.cli.training import contexts_in, one_line_errors, papers_in, print_ranker

if TYPE_CHECKING:
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.encode import Encoder

RECIPE = "library-ranker"
TAKES = {RECIPE: ("papers", "without", "query_encoder")}
"""The options that it takes beside those of all recipes."""


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train, write trees and card, and print what they are worth beside single orders."""
    from cite_lsp.corpus.records import RecordError
    from cite_lsp.encode import EncoderError, load_encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.train.card import write_ranker_card
    from cite_lsp.train.drafts import FORWARD
    from cite_lsp.train.errors import TrainingError
    from cite_lsp.train.recipes import library_ranker

    with one_line_errors(options.out, RecordError, EncoderError, TrainingError) as (
        stages,
        problems,
    ):
        learn, check = (
            contexts_in(paths, options.without, problems)
            for paths in (options.contexts, options.dev)
        )
        wanted = library_ranker.papers_cited([*learn, *check])
        papers = papers_in(options.papers, wanted, problems)
        encoder = CachedEncoder(
            load_encoder(threads=os.cpu_count() or 1), remembered=200_000, kept=500_000
        )
        query_encoder, placing = _query_encoders(options.query_encoder, [*learn, *check])
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


def _query_encoders(
    folder: Path | None, rows: list[LabelledContext]
) -> tuple[Encoder, Callable[[str], Encoder]]:
    """Return the query encoder that will be asked, and which one places the contexts of a document.

    The one that ships places all, as good as it can those that it was trained on; of one that was
    trained here, what its folds have left does.
    """
    from cite_lsp.encode import load_encoder
    from cite_lsp.recommend.asking import shipped_query_encoder
    from cite_lsp.train.held_out_queries import HeldOutQueries

    if folder is None:
        shipped = shipped_query_encoder()
        return shipped, lambda document: shipped
    own = load_encoder(str(folder), device="cpu", threads=os.cpu_count() or 1)
    return own, HeldOutQueries(folder, own, rows).of
