"""Options that several recipes have, and which of all were given to one that does not take them.

A card shows the options of its training: one that did nothing must not stand there.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cite_lsp.option_types import OptionGroup, add_paths, positive, rate

Takes = Mapping[str, Sequence[str]]
"""The options that each recipe takes beside those of all, by its name; with --head behind it, what
its heads take."""

ENCODER = (
    *("papers", "base", "negatives"),
    *("epochs", "batch", "learning_rate", "max_tokens", "patience"),
    "sample",
)
"""What every recipe takes that trains an encoder as a whole."""
PHASE = (*ENCODER, "pool", "head")
"""What a recipe takes that can train a head as well."""
HEAD = (
    *("papers", "head", "base", "negatives"),
    *("epochs", "batch", "learning_rate", "patience"),
    *("sample", "pool", "among"),
)
"""What its head takes."""

WITHOUT_CONTEXTS = (
    *("static-encoder", "library-query-encoder"),
    *("draft-ranker", "missing-citations"),
)
"""The recipes that learn from papers alone, or from drafts."""
WITHOUT_DEV = ("missing-citations", "draft-ranker", "library-query-encoder")
"""The recipes that are measured on what they learn from, part by part, or on some of it."""
_OF_ALL = frozenset(("command", "recipe", "contexts", "dev", "out", "seed", "sources"))


def add_shared_arguments(group: OptionGroup) -> None:
    """Declare the options that several recipes take and none of them declares."""
    group.add_argument(
        "--base",
        default="default",
        metavar="NAME",
        help="checkpoint to start from: a name, a folder, or the hub id of a fetched one"
        " (default: the bundled one); of blsrec, the folder of a trained model that goes on with"
        " new contexts",
    )
    group.add_argument(
        "--negatives",
        type=positive,
        metavar="N",
        help="negatives an example (the two phases and mp-bert4cr: 7, the others: 1)",
    )
    group.add_argument("--epochs", type=positive, metavar="N")
    group.add_argument("--batch", type=positive, metavar="N", help="examples a step")
    group.add_argument("--learning-rate", type=rate, metavar="RATE")
    group.add_argument("--max-tokens", type=positive, metavar="N", help="where texts are cut")
    group.add_argument(
        "--patience", type=positive, metavar="N", help="measurements without gain before it ends"
    )
    group.add_argument(
        "--dimensions",
        type=positive,
        metavar="N",
        help="of a vector (static-encoder: 256, blsrec: 100)",
    )
    group.add_argument(
        "--sample",
        type=positive,
        metavar="N",
        help="learn from about N contexts: whole documents, by chance; bilingual-ranker takes them"
        " from all documents",
    )
    group.add_argument(
        "--pool",
        type=positive,
        metavar="N",
        help="N papers beside those cited, chosen by chance; with --head that of `eval local`",
    )
    add_paths(
        group,
        "--edges",
        help="citations of training documents (citing<TAB>cited), for query-encoder,"
        " corpus-ranker, co-citation-head and kieu",
    )
    add_paths(group, "--parallel", help="texts in both languages")
    add_paths(group, "--glossary", help="Chinese terms")
    group.add_argument(
        "--query-encoder",
        type=Path,
        metavar="DIR",
        help="folder that `train query-encoder` wrote with the same contexts (for corpus-ranker,"
        " library-ranker, query-encoder-zh), or `train library-query-encoder` (for draft-ranker)",
    )
    group.add_argument(
        "--head",
        action="store_true",
        help="train a linear map of the base's vectors and not the base: minutes on a CPU, and"
        " papers that the base has embedded need not be embedded again (tanaka-phase1,"
        " mp-bert4cr)",
    )
    add_paths(group, "--among", help="contexts whose papers are in the --pool of a --head too")


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
    taking = [taker for taker, names in takes.items() if name in names]
    *others, last = (
        recipe for recipe in taking if recipe.removesuffix(" --head") not in {*taking} - {recipe}
    )
    return f"{', '.join(others)} and {last} do" if others else f"{last} does"


def _idle(options: argparse.Namespace) -> str:
    """Return which option another one leaves nothing to do for; "" without one."""
    if options.among and options.pool is None:
        return "--among: without --pool all papers are in the pool; leave it out"
    if options.contexts and options.recipe in WITHOUT_CONTEXTS:
        return f"--contexts: {options.recipe} does not learn from contexts; leave it out"
    return ""
