"""Which options a training was given, and whether its recipe takes them.

A card shows the options of its training: one that did nothing must not stand there.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

Takes = Mapping[str, Sequence[str]]
"""The options that each recipe takes beside those of all, by its name; with --head behind it, what
its heads take."""

_OF_ALL = frozenset(("command", "recipe", "contexts", "dev", "out", "seed", "sources"))


def given(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options that were given and are not those of all recipes, by name."""
    return {
        name: value
        for name, value in vars(options).items()
        if name not in _OF_ALL
        and value is not None
        and value is not False
        and value not in ([], "default")
    }


def chosen(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return those of some options that were given, by name: the others are as the recipe says."""
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def flag(name: str) -> str:
    """Return an option as it is written on the command line."""
    return f"--{name.replace('_', '-')}"


def refusal(options: argparse.Namespace, takes: Takes) -> str:
    """Return which option would do nothing, who takes it or why it would not; "" without one."""
    headed = f"{options.recipe} --head"
    recipe = headed if options.head and headed in takes else options.recipe
    for name in sorted(given(options)):
        if name not in takes[recipe]:
            return f"{flag(name)}: {recipe} does not take it; {_takers(name, takes)}"
    return _idle(options)


def _takers(name: str, takes: Takes) -> str:
    """Return the recipes that take an option, those with heads once."""
    taking = [recipe for recipe, names in takes.items() if name in names]
    *others, last = (one for one in taking if one.removesuffix(" --head") not in {*taking} - {one})
    return f"{', '.join(others)} and {last} do" if others else f"{last} does"


def _idle(options: argparse.Namespace) -> str:
    """Return which option another one leaves nothing to do for; "" without one."""
    if options.among and options.pool is None:
        return "--among: without --pool all papers are in the pool; leave it out"
    if options.titles is not None and options.papers_only:
        return "--titles: --papers-only teaches no titles; leave out one of the two"
    if options.drawn_from is not None and options.algorithm == "warp":
        return "--drawn-from: is for batches, not for --algorithm warp; leave out one of the two"
    return ""
