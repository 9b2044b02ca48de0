"""Options that several commands have, and the types of their values."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from cite_lsp.paths import expanded

_SEEDS = 1 << 30
"""Seeds below this numpy, torch and LightGBM all take, and the few that follow on one as well."""
Group = argparse._ActionsContainer
"""What options are added to: a parser, or a group of one."""


def positive(text: str) -> int:
    """Read an option that must be a whole number from 1.

    Raises:
        argparse.ArgumentTypeError: it is not.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def share(text: str) -> float:
    """Read an option that must be a number from 0 to 1.

    Raises:
        argparse.ArgumentTypeError: it is not.
    """
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def rate(text: str) -> float:
    """Read an option that must be a number above 0.

    Raises:
        argparse.ArgumentTypeError: it is not.
    """
    value = _number(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def drawing(text: str) -> Path:
    """Read an option that names a drawing to be written.

    Raises:
        argparse.ArgumentTypeError: its name promises another format than SVG.
    """
    path = Path(text)
    if path.suffix.lower() not in ("", ".svg"):
        raise argparse.ArgumentTypeError(
            f"{text!r}: drawings are written as SVG; name a file that ends in .svg"
        )
    return path


def _number(text: str) -> float:
    """Return the number that is written, NaN, which is in no range, where none is."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= _SEEDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {_SEEDS - 1}")
    return int(text)


def add_seed(group: Group) -> None:
    """Declare the option that everything drawn by chance depends on."""
    group.add_argument("--seed", type=_seed, default=13)


def add_paths(
    group: Group, *flags: str, help: str, metavar: str = "FILE", required: bool = False
) -> None:
    """Declare an option that names a path and may be given several times."""
    group.add_argument(
        *flags,
        type=expanded,
        action="append",
        default=None if required else [],
        required=required,
        metavar=metavar,
        help=help,
    )


def add_json(group: Group) -> None:
    """Declare the option of a command that can answer a program."""
    group.add_argument("--json", action="store_true", help="print one JSON document")


def add_data(group: Group, contexts: str | None = None) -> None:
    """Declare what is measured on: papers, and `contexts` if that needs to be said."""
    group.add_argument("--papers", type=Path, required=True, metavar="FILE")
    group.add_argument("--contexts", type=Path, required=True, metavar="FILE", help=contexts)


def add_results(group: Group, what: str = "contexts", *, figure: str | None = None) -> None:
    """Declare where results of a measurement go, `figure` is what is drawn, and how many."""
    group.add_argument(
        "--run", type=Path, metavar="OUT", help="write the rankings here, JSON Lines"
    )
    if figure:
        group.add_argument("--figure", type=drawing, metavar="OUT.svg", help=figure)
    group.add_argument("--limit", type=positive, metavar="N", help=f"only the first N {what}")
    add_json(group)
