"""`train cited-before`: how much it weighs in a library how others cited its papers before."""

from __future__ import annotations

import argparse
from functools import partial

from cite_lsp.cli.output import Problems
from cite_lsp.cli.training.sign_weights import Material, weigh_signs
from cite_lsp.cli.training.training import contexts_in, papers_in

RECIPE = "cited-before"
TAKES = {RECIPE: ("papers", "without")}
"""The options that it takes beside those of all recipes."""


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Fit the weights, write them with their card, and print what they are worth."""
    from cite_lsp.train.rankers.cited_before import write
    from cite_lsp.train.rankers.weights_card import CITED_BEFORE

    return weigh_signs(options, _read, write, CITED_BEFORE, data=data, command=command)


def _read(options: argparse.Namespace, problems: Problems) -> Material:
    from cite_lsp.recommend.corpus.models import shipped_precedents
    from cite_lsp.train.rankers.cited_before import ask

    learn, check = (
        contexts_in(paths, problems, options.without) for paths in (options.contexts, options.dev)
    )
    wanted = {name for row in (*learn, *check) for name in row.cited}
    papers = papers_in(options.papers, problems, wanted)
    return Material(learn, check, partial(ask, papers=papers, precedents=shipped_precedents()))
