"""`train corpus-ranker`: the second stage of corpora, and its precedents."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING
from zlib import crc32

from cite_lsp.cli import UsageError
from cite_lsp.cli.options import add_paths
from cite_lsp.cli.training.training import (
    contexts_in,
    drafts_encoder,
    edges_in,
    one_line_errors,
    pool_file,
    print_ranker,
)

if TYPE_CHECKING:
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.evaluate.tasks.local import Relevant

RECIPE = "corpus-ranker"
TAKES = {RECIPE: ("papers", "citing_sentences", "edges", "quoted", "query_encoder")}
"""The options that it takes beside those of all recipes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that this recipe has beside those of all recipes."""
    group = parser.add_argument_group("corpus ranker", f"options of {RECIPE}")
    group.add_argument(
        "--quoted",
        action="append",
        default=[],
        metavar="SOURCE",
        help="`source` of contexts whose words may be kept; by default all",
    )
    add_paths(
        group,
        "--citing-sentences",
        help="sentences of other documents with what they cite: precedents without a section;"
        " may be given several times",
    )


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train, write everything with its card, and print what it is worth beside single orders."""
    from cite_lsp.corpus.citing_sentences import read_citing_sentences
    from cite_lsp.encode import load_encoder
    from cite_lsp.evaluate.pool import open_pool
    from cite_lsp.evaluate.tasks.local import candidates
    from cite_lsp.train.encoders import query_encoder
    from cite_lsp.train.rankers import corpus_ranker
    from cite_lsp.train.run.card import write_corpus_ranker_card

    papers = pool_file(options)
    if options.query_encoder is None:
        raise UsageError(
            f"{RECIPE} leans on a query encoder; train one and name its folder with --query-encoder"
        )
    quoted = frozenset(options.quoted)

    def may_quote(row: LabelledContext) -> bool:
        return not quoted or row.source in quoted

    with one_line_errors(options.out) as (stages, problems):
        corpus = open_pool(papers, stage=stages.show, report=problems.add)
        config = corpus_ranker.train(
            contexts_in(options.contexts, problems),
            contexts_in(options.dev, problems),
            edges_in(options.edges, problems),
            corpus,
            drafts_encoder(),
            load_encoder(str(options.query_encoder), device="cpu", threads=os.cpu_count() or 1),
            query_encoder.read_held_out(options.query_encoder / query_encoder.HELD_OUT),
            options.out,
            allowed=lambda row: candidates(corpus, row, _pool_of(row)),
            quoted=may_quote,
            sentences=(
                one
                for path in options.citing_sentences
                for one in read_citing_sentences(path, problems.add)
            ),
            seed=options.seed,
            progress=stages.show,
        )
        write_corpus_ranker_card(options.out, config, data=data, command=command)
    print_ranker(config, "contexts")
    return 0


def _pool_of(row: LabelledContext) -> Relevant:
    """Let every fourth context see papers without an abstract too, as writers do."""
    return "cited" if crc32(row.context_id.encode()) % 4 == 0 else "cited_abs"
