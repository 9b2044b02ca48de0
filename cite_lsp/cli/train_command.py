"""Train a model from a recipe on citation contexts and the papers they cite."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cite_lsp.cli import (
    CommandError,
    train_bilingual_ranker,
    train_blsrec,
    train_chinese_queries,
    train_corpus_ranker,
    train_cross_lingual,
    train_encoder,
    train_heads,
    train_library_ranker,
    train_missing,
    train_query_encoder,
    train_static,
    train_worthiness,
    train_zh_lexicon,
)

_MODULES: tuple[Any, ...] = (
    train_library_ranker,
    train_corpus_ranker,
    train_query_encoder,
    train_chinese_queries,
    train_bilingual_ranker,
    train_cross_lingual,
    train_encoder,
    train_static,
    train_worthiness,
    train_missing,
    train_blsrec,
    train_zh_lexicon,
)
"""One module of this room a recipe, or several."""


def _names(module: Any) -> tuple[str, ...]:  # noqa: ANN401 - a module
    return getattr(module, "RECIPES", None) or (module.RECIPE,)


RECIPES = tuple(name for module in _MODULES for name in _names(module))

_SHOWN = (
    *train_blsrec.OPTIONS,
    *train_cross_lingual.OPTIONS,
    *train_encoder.OPTIONS,
    *train_static.OPTIONS,
)
"""Options that a card shows where they were given, beside those of all recipes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("recipe", choices=RECIPES, metavar="RECIPE", help=", ".join(RECIPES))
    parser.add_argument(
        "--papers",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="papers, JSON Lines; may be given several times",
    )
    parser.add_argument(
        "--contexts",
        type=Path,
        action="append",
        required=True,
        metavar="FILE",
        help="contexts to learn from; may be given several times",
    )
    parser.add_argument(
        "--dev",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="contexts of other documents, to stop by and to measure on; all but"
        f" {train_missing.RECIPE} need them",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to write")
    parser.add_argument("--seed", type=int, default=13)
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
    train_query_encoder.add_arguments(parser)
    train_static.add_arguments(parser)
    train_worthiness.add_arguments(parser)
    train_missing.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Train, and print the figures on the held-out contexts."""
    data = options.sources or ", ".join(_short(path) for path in (*options.contexts, *options.dev))
    if not options.dev and options.recipe != train_missing.RECIPE:
        raise CommandError(f"{options.recipe} is measured on other documents; name them with --dev")
    own = next(module for module in _MODULES if options.recipe in _names(module))
    if not options.papers and own is not train_worthiness:
        raise CommandError(f"{options.recipe} learns from papers; name them with --papers")
    status: int = own.run(options, data, _command(options))
    return status


def _short(path: Path) -> str:
    """Name a file by its folder and name: where it lies on this machine is nobody's business."""
    return "/".join(path.parts[-2:])


def _command(options: argparse.Namespace) -> str:
    """Return the command as a card shows it: files without their folders, defaults left out."""
    words = ["cite-lsp", "train", options.recipe]
    inputs = (
        *("papers", "contexts", "sentences", "parallel", "glossary"),
        *("uncited", "edges", "dev", "test", "among"),
    )
    for name in inputs:
        words += [f"--{name} {_short(path)}" for path in getattr(options, name)]
    for name, value in sorted(vars(options).items()):
        if name in _SHOWN and value not in (None, False, "default"):
            shown = _short(Path(value)) if name == "base" and Path(value).is_dir() else value
            flag = f"--{name.replace('_', '-')}"
            each = value if isinstance(value, list) else [shown]
            words += [flag] if value is True else [f"{flag} {one}" for one in each]
    words += [f"--without {name}" for name in options.without]
    words += [f"--quoted {name}" for name in options.quoted]
    if options.query_encoder is not None:
        words.append(f"--query-encoder {_short(options.query_encoder)}")
    if options.lexicon is not None:
        words.append(f"--lexicon {_short(options.lexicon)}")
    if options.chinese_query_encoder is not None:
        words.append(f"--chinese-query-encoder {_short(options.chinese_query_encoder)}")
    return " ".join([*words, f"--seed {options.seed}", f"--out {_short(options.out)}"])
