"""Train a model from a recipe on citation contexts and the papers they cite.

Options that a recipe does not take are refused.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from cite_lsp.cli.shared_options import add_seed
from cite_lsp.option_types import OptionGroup, add_paths
from cite_lsp.train import recipes
from cite_lsp.train.run.options import (
    WITHOUT_CONTEXTS,
    WITHOUT_DEV,
    add_shared_arguments,
    flag,
)

TAKES = recipes.options_taken()
"""What each recipe takes, and what its heads do."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: those of all recipes, those of several, and those of one."""
    parser.add_argument(
        "recipe", choices=recipes.RECIPES, metavar="RECIPE", help=", ".join(recipes.RECIPES)
    )
    add_paths(parser, "--papers", help="papers, JSON Lines; may be given several times")
    add_paths(
        parser,
        "--contexts",
        help="contexts to learn from; may be given several times; all recipes but"
        f" {' and '.join(WITHOUT_CONTEXTS)} need them",
    )
    add_paths(
        parser,
        "--dev",
        help="contexts of other documents, to stop by and to measure on; all but"
        f" {' and '.join(WITHOUT_DEV)} need them",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to write")
    add_seed(parser)
    parser.add_argument(
        "--sources",
        default="",
        metavar="TEXT",
        help="what the data is and its licences, for the card",
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="NAME",
        help="leave out documents with this in their id: drafts that will be measured on"
        f" ({_takers_of('without')})",
    )
    add_shared_arguments(parser.add_argument_group("of several recipes"))

    def group_of(name: str) -> OptionGroup:
        heads = TAKES.get(f"{name} --head")
        headed = f"; with --head {_flags(heads)}" if heads else ""
        return parser.add_argument_group(name, f"takes {_flags(TAKES[name])}{headed}")

    recipes.add_own_arguments(group_of)


def _takers_of(option: str) -> str:
    return ", ".join(recipe for recipe, taken in TAKES.items() if option in taken)


def _flags(names: Iterable[str]) -> str:
    return ", ".join(flag(name) for name in names)
