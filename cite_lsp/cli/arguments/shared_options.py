"""Options that several commands have."""

from __future__ import annotations

import argparse
from pathlib import Path

from cite_lsp.option_types import OptionGroup, add_paths, drawing, positive
from cite_lsp.server.config.options import METHODS

_SEEDS = 1 << 30
"""Seeds below this numpy, torch and LightGBM all take, and the few that follow on one as well."""


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= _SEEDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {_SEEDS - 1}")
    return int(text)


def add_seed(group: OptionGroup) -> None:
    """Declare the option that everything drawn by chance depends on."""
    group.add_argument("--seed", type=_seed, default=13)


def add_json(group: OptionGroup) -> None:
    """Declare the option of a command that can answer a program."""
    group.add_argument("--json", action="store_true", help="print one JSON document")


def add_limit(group: OptionGroup, default: int, meaning: str) -> None:
    """Declare the option of how many papers there are at most, with its `meaning` for help."""
    help = f"{meaning} (default {default})"
    group.add_argument("-k", type=positive, default=default, metavar="N", help=help)


def add_bibliographies(group: OptionGroup) -> None:
    """Declare the option of what drafts can cite from as well."""
    help = "a bibliography beside those that the draft names; may be given several times"
    add_paths(group, "--bibliography", "-b", help=help)


def add_corpora(group: OptionGroup, which: str) -> None:
    """Declare the option of the corpora that take part; `which` can be named."""
    group.add_argument(
        "--corpus",
        action="append",
        metavar="NAME",
        help=f"{which} that takes part (those of the settings, else all that have been indexed; "
        "none with --corpus '')",
    )


def add_method(group: OptionGroup) -> None:
    """Declare the option of what orders papers; given several times, for several languages."""
    group.add_argument(
        "--method",
        action="append",
        choices=METHODS,
        help="what orders the papers: default, or a method as a paper published it; of several, the"
        " first that ranks for the language of the sentence",
    )


def add_data(group: OptionGroup, contexts: str | None = None) -> None:
    """Declare what is measured on: papers, `contexts` is the help text of these."""
    group.add_argument("--papers", type=Path, required=True, metavar="FILE")
    group.add_argument("--contexts", type=Path, required=True, metavar="FILE", help=contexts)


def add_results(group: OptionGroup, noun: str = "contexts", *, figure: str | None = None) -> None:
    """Declare where results of a measurement go, `figure` is what is drawn, and how many."""
    group.add_argument(
        "--run", type=Path, metavar="OUT", help="write the rankings here, JSON Lines"
    )
    if figure:
        group.add_argument("--figure", type=drawing, metavar="OUT.svg", help=figure)
    group.add_argument("--limit", type=positive, metavar="N", help=f"only the first N {noun}")
    add_json(group)
