"""Train a model from a recipe on citation contexts and the papers they cite.

Options that a recipe does not take are refused.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cite_lsp.cli import (
    UsageError,
    train_bilingual_ranker,
    train_blsrec,
    train_chinese_queries,
    train_cited_before,
    train_cocitation,
    train_corpus_ranker,
    train_cross_lingual,
    train_encoder,
    train_heads,
    train_interaction,
    train_library_ranker,
    train_missing,
    train_other_drafts,
    train_query_encoder,
    train_static,
    train_worthiness,
    train_zh_lexicon,
)
from cite_lsp.cli.options import add_paths, add_seed
from cite_lsp.cli.train_options import Takes, flag, given, refusal
from cite_lsp.cli.training import require_folder

_MODULES: tuple[Any, ...] = (
    train_library_ranker,
    train_corpus_ranker,
    train_interaction,
    train_query_encoder,
    train_chinese_queries,
    train_bilingual_ranker,
    train_cross_lingual,
    train_encoder,
    train_cocitation,
    train_static,
    train_worthiness,
    train_missing,
    train_other_drafts,
    train_cited_before,
    train_blsrec,
    train_zh_lexicon,
)
"""One module of this room a recipe, or several."""


RECIPES = tuple(name for module in _MODULES for name in module.TAKES)
TAKES: Takes = {
    name: taken for module in (*_MODULES, train_heads) for name, taken in module.TAKES.items()
}
"""What each recipe takes, and what its heads do."""
_FILES = (
    *("papers", "contexts", "earlier", "sentences", "parallel", "glossary"),
    *("uncited", "citing_sentences", "edges", "dev", "test", "among"),
)
_LAST = ("without", "quoted", "query_encoder", "lexicon", "chinese_query_encoder")
"""The options that a card shows first and last; the others stand between them by name."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("recipe", choices=RECIPES, metavar="RECIPE", help=", ".join(RECIPES))
    add_paths(parser, "--papers", help="papers, JSON Lines; may be given several times")
    add_paths(
        parser,
        "--contexts",
        help="contexts to learn from; may be given several times",
        required=True,
    )
    add_paths(
        parser,
        "--dev",
        help="contexts of other documents, to stop by and to measure on; all but"
        f" {train_missing.RECIPE} need them",
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
        f" ({train_library_ranker.RECIPE}, {train_worthiness.RECIPE}, {train_missing.RECIPE})",
    )
    train_bilingual_ranker.add_arguments(parser)
    train_blsrec.add_arguments(parser)
    train_corpus_ranker.add_arguments(parser)
    train_cross_lingual.add_arguments(parser)
    train_encoder.add_arguments(parser)
    train_heads.add_arguments(parser)
    train_cocitation.add_arguments(parser)
    train_query_encoder.add_arguments(parser)
    train_static.add_arguments(parser)
    train_worthiness.add_arguments(parser)
    train_missing.add_arguments(parser)
    train_other_drafts.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Train, and print the figures on the held-out contexts."""
    wrong = refusal(options, TAKES)
    if wrong:
        raise UsageError(wrong)
    if not options.dev and options.recipe != train_missing.RECIPE:
        raise UsageError(f"{options.recipe} is measured on other documents; name them with --dev")
    if not options.papers and "papers" in TAKES[options.recipe]:
        raise UsageError(f"{options.recipe} learns from papers; name them with --papers")
    require_folder(options.out)
    own = next(module for module in _MODULES if options.recipe in module.TAKES)
    data = options.sources or ", ".join(_short(path) for path in (*options.contexts, *options.dev))
    status: int = own.run(options, data, _command(options))
    return status


def _short(path: Path) -> str:
    """Name a file by its folder and name: where it lies on this machine is nobody's business."""
    return "/".join(path.parts[-2:])


def _command(options: argparse.Namespace) -> str:
    """Return the command as a card shows it: files without their folders, defaults left out."""
    shown = given(options) | {"contexts": options.contexts, "dev": options.dev}
    between = sorted({*shown} - {*_FILES, *_LAST})
    words = [
        word
        for name in (*_FILES, *between, *_LAST)
        if name in shown
        for word in _words(name, shown[name])
    ]
    ends = (f"--seed {options.seed}", f"--out {_short(options.out)}")
    return " ".join(("cite-lsp", "train", options.recipe, *words, *ends))


def _words(name: str, value: object) -> list[str]:
    """Return an option as it is given, as often as it has values."""
    if value is True:
        return [flag(name)]
    values = value if isinstance(value, list) else [value]
    return [f"{flag(name)} {_shown(name, one)}" for one in values]


def _shown(name: str, value: object) -> str:
    if name == "base" and Path(str(value)).is_dir():
        return _short(Path(str(value)))
    return _short(value) if isinstance(value, Path) else str(value)
