"""Train a model from a recipe on citation contexts and the papers they cite.

`cite-lsp train RECIPE --help` lists what a recipe takes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cite_lsp.cli.shared_options import add_seed
from cite_lsp.train.recipes import RECIPES
from cite_lsp.train.run.options import NOTHING, add_shared


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of each recipe."""
    recipes = parser.add_subparsers(dest="recipe", metavar="RECIPE", required=True)
    for name, recipe in RECIPES.items():
        text = recipe.__doc__ or ""
        summary = text.partition("\n")[0].partition(": ")[2]
        own = recipes.add_parser(name, help=summary, description=text)
        own.set_defaults(**NOTHING)
        add_shared(own, recipe.TAKES)
        declare = getattr(recipe, "add_arguments", None)
        if declare is not None:
            declare(own)
        own.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to write")
        add_seed(own)
        own.add_argument(
            "--sources",
            default="",
            metavar="TEXT",
            help="what the data is and its licences, for the card",
        )
