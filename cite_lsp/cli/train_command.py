"""Train a model from a recipe on citation contexts and the papers they cite.

Options that a recipe does not take are refused.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cite_lsp.cli import UsageError
from cite_lsp.cli.options import add_paths, add_seed
from cite_lsp.cli.training import (
    bilingual_ranker,
    blsrec,
    citation_worthiness,
    cited_before,
    cocitation,
    corpus_ranker,
    cross_lingual,
    encoder,
    heads,
    late_interaction,
    library_ranker,
    missing_citations,
    other_drafts,
    query_encoder,
    query_encoder_zh,
    static_encoder,
    zh_lexicon,
)
from cite_lsp.cli.training.options import Takes, flag, given, refusal
from cite_lsp.cli.training.training import require_folder

_MODULES: tuple[Any, ...] = (
    library_ranker,
    corpus_ranker,
    late_interaction,
    query_encoder,
    query_encoder_zh,
    bilingual_ranker,
    cross_lingual,
    encoder,
    cocitation,
    static_encoder,
    citation_worthiness,
    missing_citations,
    other_drafts,
    cited_before,
    blsrec,
    zh_lexicon,
)
"""One module of this room a recipe, or several."""


RECIPES = tuple(name for module in _MODULES for name in module.TAKES)
TAKES: Takes = {
    name: taken for module in (*_MODULES, heads) for name, taken in module.TAKES.items()
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
        f" {missing_citations.RECIPE} need them",
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
        f" ({library_ranker.RECIPE}, {citation_worthiness.RECIPE}, {missing_citations.RECIPE})",
    )
    bilingual_ranker.add_arguments(parser)
    blsrec.add_arguments(parser)
    corpus_ranker.add_arguments(parser)
    cross_lingual.add_arguments(parser)
    encoder.add_arguments(parser)
    heads.add_arguments(parser)
    cocitation.add_arguments(parser)
    query_encoder.add_arguments(parser)
    static_encoder.add_arguments(parser)
    citation_worthiness.add_arguments(parser)
    missing_citations.add_arguments(parser)
    other_drafts.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Train, and print the figures on the held-out contexts."""
    wrong = refusal(options, TAKES)
    if wrong:
        raise UsageError(wrong)
    if not options.dev and options.recipe != missing_citations.RECIPE:
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
