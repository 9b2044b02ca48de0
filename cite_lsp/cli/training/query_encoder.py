"""`train query-encoder`: contexts placed among the papers that they cite."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from cite_lsp.cli.training.options import chosen
from cite_lsp.cli.training.training import (
    contexts_in,
    edges_in,
    one_line_errors,
    pool_file,
    print_figures,
)

RECIPE = "query-encoder"
_SETTINGS = ("epochs", "batch", "learning_rate")
TAKES = {RECIPE: ("papers", "edges", "base", *_SETTINGS)}
"""The options that it takes beside those of all recipes."""
_WHAT = """\
Where the papers lie that a context cites: `{base}`, trained further on contexts alone, against the
vectors that the unchanged `{base}` has made of papers."""
_TERMS = """\
that of the base, whose weights these are, trained further. No text of
  the data is in it."""
_COMPARED = 200
"""Contexts on which the shipped form is compared with the original."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the option by which another recipe finds what this one has made."""
    group = parser.add_argument_group("query encoder", f"what {RECIPE} has made")
    group.add_argument(
        "--query-encoder",
        type=Path,
        metavar="DIR",
        help=f"folder that `train {RECIPE}` wrote with the same contexts "
        "(for corpus-ranker, library-ranker, query-encoder-zh)",
    )
    group.add_argument(
        "--chinese-query-encoder",
        type=Path,
        metavar="DIR",
        help="folder that `train query-encoder-zh` wrote with the same contexts "
        "(for bilingual-ranker)",
    )


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train, write the encoder with its card, and print what it is worth beside its base."""
    from attrs import asdict

    from cite_lsp.encode import load_encoder
    from cite_lsp.evaluate.pool import MAX_TOKENS, open_pool, pool_vectors
    from cite_lsp.evaluate.tasks.queries import QueryTask
    from cite_lsp.train.encoders import query_encoder
    from cite_lsp.train.encoders.encoder_run import base_folder, load_model
    from cite_lsp.train.encoders.query_publish import Made, publish_query_encoder
    from cite_lsp.train.run.card import Origin
    from cite_lsp.train.run.encoding import encode_segments
    from cite_lsp.train.run.export import licence_of

    pool = pool_file(options)
    settings = query_encoder.Settings(**chosen(options, *_SETTINGS, "seed"))
    with one_line_errors(options.out) as (stages, problems):
        corpus = open_pool(pool, stage=stages.show, report=problems.add)
        encoder = load_encoder(options.base, threads=os.cpu_count() or 1, max_tokens=MAX_TOKENS)
        papers = pool_vectors(corpus, encoder, stages.show)
        learn, check = (contexts_in(paths, problems) for paths in (options.contexts, options.dev))
        seen = {name for row in learn for name in row.cited}
        seen.update(edge.cited for edge in edges_in(options.edges, problems))
        base, base_name = base_folder(options.base)
        model = query_encoder.train(
            learn, corpus.row_of, papers, base, options.out, settings, progress=stages.show
        )
        task = QueryTask(corpus, papers, check, seen)
        licence = licence_of(base) or "not declared by the base"
        made = Made(
            name=RECIPE,
            what=_WHAT.format(base=base_name),
            base_name=base_name,
            licence=licence,
            terms=_TERMS,
            settings=asdict(settings),
            contexts=len(learn),
        )
        figures = publish_query_encoder(
            model,
            options.out,
            made,
            task.figures,
            {"base": encode_segments(load_model(base, query_encoder.MAX_TOKENS))},
            Origin(data, command),
            sample=task.texts[:_COMPARED],
        )
    print_figures(figures)
    return 0
