"""Train a model from a recipe, and print its figures."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.arguments.shared_options import add_seed
from cite_lsp.cli.printing.output import reporting, table, warn
from cite_lsp.train.recipes import RECIPES
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.job import CHECKPOINTS, Job
from cite_lsp.train.run.options import NOTHING, add_shared, flag
from cite_lsp.train.run.report import Figures, OptionError

_OF_ALL = frozenset(("command", "recipe", "out", "seed", "sources"))
"""The options that every recipe takes; a card shows the last of them at its head."""
_CARD = "README.md"
_OF_TRAINING = frozenset(("config.json", CHECKPOINTS))
"""What a folder holds, some of it, that a training has written to."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of each recipe."""
    recipes = parser.add_subparsers(dest="recipe", metavar="RECIPE", required=True)
    for name, recipe in RECIPES.items():
        text = recipe.__doc__ or ""
        summary = text.partition("\n")[0].partition(": ")[2]
        recipe_parser = recipes.add_parser(name, help=summary, description=text)
        recipe_parser.set_defaults(**NOTHING)
        add_shared(recipe_parser, recipe.TAKES)
        declare = getattr(recipe, "add_arguments", None)
        if declare is not None:
            declare(recipe_parser)
        recipe_parser.add_argument(
            "--out", type=Path, required=True, metavar="DIR", help="where to write"
        )
        add_seed(recipe_parser)
        recipe_parser.add_argument(
            "--sources",
            default="",
            metavar="TEXT",
            help="what the data is and its licences, for the card",
        )


def run(options: argparse.Namespace) -> int:
    """Train, and print the figures on the held-out contexts."""
    if wrong := _idle(options):
        raise UsageError(wrong)
    _require_folder(options.out)
    files = (*options.contexts, *options.dev) or (options.manuscripts or options.out,)
    data = options.sources or ", ".join(map(_short, files))
    recipe = RECIPES[options.recipe]
    origin = Origin(data, _command(options), f"{recipe.__name__.replace('.', '/')}.py")
    try:
        with reporting() as (stages, problems):
            measured = recipe.run(Job(options, origin, stages.show, problems.add))
    except OptionError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        reason = error.strerror or error
        raise CommandError(f"{options.out}: cannot be written ({reason}); name another") from error
    _print(measured)
    return 0


def _require_folder(out: Path) -> None:
    """Make sure, before hours of work, that a folder can be made or written into at no loss."""
    existing = next(
        folder for folder in (out.absolute(), *out.absolute().parents) if folder.exists()
    )
    if not existing.is_dir():
        raise CommandError(f"{out}: cannot be written ({existing} is no folder); name another")
    if not os.access(existing, os.W_OK):
        raise CommandError(f"{out}: cannot be written (no right to write); name another")
    names = os.listdir(out) if out.is_dir() else ()
    if _CARD in names and not _OF_TRAINING.intersection(names):
        raise CommandError(
            f"{out / _CARD}: is no card of a model, and would be overwritten; name another folder"
        )


def _print(measured: Sequence[Figures]) -> None:
    for figures in measured:
        if figures.title:
            print(figures.title)
        rows = [
            [row_name, *(cell.removeprefix("0") if "." in cell else cell for cell in cells)]
            for row_name, *cells in figures.cells()
        ]
        print(table(figures.headings, rows))
        if figures.note:
            warn(figures.note)


def _short(path: Path) -> str:
    """Name a file by its folder and name: where it lies on this machine is nobody's business."""
    return "/".join(path.parts[-2:])


def _idle(options: argparse.Namespace) -> str:
    """Return which option another one leaves nothing to do for; "" without one."""
    values = vars(options)
    if values["among"] and not (options.head and options.pool):
        return "--among: without --pool and --head all papers are in the pool; leave it out"
    for name in ("max_tokens", "loss"):
        if values.get("head") and values.get(name):
            return f"{flag(name)}: a head does not take it; leave it out"
    return ""


def _command(options: argparse.Namespace) -> str:
    """Return the command as a card shows it: files without their folders, defaults left out."""
    values_of = {
        name: value if isinstance(value, list) else [value]
        for name, value in vars(options).items()
        if name not in _OF_ALL and value not in (None, False, (), [], "default")
    }
    files = [name for name, values in values_of.items() if isinstance(values[0], Path)]
    others = sorted(values_of.keys() - set(files))
    words = [_word(name, value) for name in (*files, *others) for value in values_of[name]]
    ends = (f"--seed {options.seed}", f"--out {_short(options.out)}")
    return " ".join(("cite-lsp", "train", options.recipe, *words, *ends))


def _word(name: str, value: object) -> str:
    if value is True:
        return flag(name)
    path = Path(str(value))
    is_path = isinstance(value, Path) or (name == "base" and path.is_dir())
    return f"{flag(name)} {_short(path) if is_path else value}"
