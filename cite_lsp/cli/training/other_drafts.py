"""`train other-drafts`: how much the writer's other drafts weigh."""

from __future__ import annotations

import argparse
from functools import partial

from cite_lsp.cli.options import add_paths
from cite_lsp.cli.output import Problems
from cite_lsp.cli.training.sign_weights import Material, weigh_signs
from cite_lsp.cli.training.training import contexts_in, papers_in

RECIPE = "other-drafts"
TAKES = {RECIPE: ("papers", "earlier", "without")}
"""The options that it takes beside those of all recipes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that this recipe has beside those of all recipes."""
    group = parser.add_argument_group("other drafts", f"options of {RECIPE}")
    add_paths(group, "--earlier", help="contexts of further documents: what writers wrote before")


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Fit the weights, write them with their card, and print what they are worth."""
    from cite_lsp.train.rankers.other_drafts import write
    from cite_lsp.train.rankers.weights_card import OTHER_DRAFTS

    return weigh_signs(options, _read, write, OTHER_DRAFTS, data=data, command=command)


def _read(options: argparse.Namespace, problems: Problems) -> Material:
    from cite_lsp.train.rankers.other_drafts import ask

    learn, check, earlier = (
        contexts_in(paths, problems, options.without)
        for paths in (options.contexts, options.dev, options.earlier)
    )
    everything = [*earlier, *learn, *check]
    wanted = {name for row in everything for name in (*row.cited, row.citing_id)}
    papers = papers_in(options.papers, problems, wanted)
    return Material(learn, check, partial(ask, others=everything, papers=papers))
