"""`train` for the encoder recipes: their options, their data, their figures."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_lsp.cli import CommandError
from cite_lsp.cli.output import Problems, Stages, figure_cells, positive, table, warn

if TYPE_CHECKING:
    from cite_lsp.train.encoder_data import EncoderData

RECIPES = ("tanaka-phase1", "tanaka-phase2", "corpus-encoder")
OPTIONS = (
    *("base", "negatives", "epochs", "batch", "learning_rate"),
    *("max_tokens", "patience", "sample", "pool", "dev_contexts"),
)
"""What a card shows of the options, where they were given."""
DEV_CONTEXTS = 400
_SHARED = ("epochs", "batch", "learning_rate", "max_tokens", "patience", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that the encoder recipes have beside those of all recipes."""
    group = parser.add_argument_group("encoders", "options of " + ", ".join(RECIPES))
    group.add_argument(
        "--base",
        default="default",
        metavar="NAME",
        help="checkpoint to start from: a name, a folder or a hub id (default: the bundled one)",
    )
    group.add_argument(
        "--negatives",
        type=int,
        metavar="N",
        help="negatives an example (the two phases: 7, corpus-encoder: 1)",
    )
    group.add_argument("--epochs", type=positive, metavar="N")
    group.add_argument("--batch", type=positive, metavar="N", help="examples a step")
    group.add_argument("--learning-rate", type=float, metavar="RATE")
    group.add_argument("--max-tokens", type=positive, metavar="N", help="where texts are cut")
    group.add_argument(
        "--patience", type=positive, metavar="N", help="measurements without gain before it ends"
    )
    group.add_argument(
        "--sample",
        type=positive,
        metavar="N",
        help="learn from about N contexts: whole documents, by chance; bilingual-ranker takes them"
        " from all documents",
    )
    group.add_argument(
        "--pool", type=positive, metavar="N", help="N papers beside those cited, chosen by chance"
    )
    group.add_argument(
        "--dev-contexts",
        type=positive,
        metavar="N",
        help="contexts to measure on while training, among five times as many papers (400)",
    )
    group.add_argument(
        "--edges",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="citations of training documents (citing<TAB>cited), for corpus-encoder",
    )


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train an encoder and print what it gained; `data` and `command` are for its card."""
    import importlib

    from cite_lsp.corpus.records import RecordError
    from cite_lsp.encode import EncoderError
    from cite_lsp.train.encoder_run import RunSettings
    from cite_lsp.train.errors import TrainingError
    from cite_lsp.train.publish import Origin

    recipe = importlib.import_module(f"cite_lsp.train.recipes.{options.recipe.replace('-', '_')}")
    given = {name: getattr(options, name) for name in _SHARED if getattr(options, name) is not None}
    more = {} if options.negatives is None else {"negatives": options.negatives}
    stages, problems = Stages(), Problems()
    try:
        result = recipe.train(
            _read(options, problems),
            options.out,
            RunSettings(**given),
            Origin(data, command),
            base=options.base,
            progress=stages.show,
            **more,
        )
    except (RecordError, EncoderError, TrainingError) as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        reason = error.strerror or error
        raise CommandError(f"{options.out}: cannot be written ({reason}); name another") from error
    finally:
        stages.close()
        problems.close()
    _print(result.before, result.after)
    warn(f"{options.out}: step {result.best_step:,} of {result.steps:,}, on {result.device}")
    return 0


def _read(options: argparse.Namespace, problems: Problems) -> EncoderData:
    import random

    from cite_lsp.corpus.contexts import read_contexts
    from cite_lsp.corpus.edges import read_edges
    from cite_lsp.corpus.papers import read_papers
    from cite_lsp.train.encoder_data import EncoderData, with_abstracts

    learn = [row for path in options.contexts for row in read_contexts(path, problems.add)]
    check = [row for path in options.dev for row in read_contexts(path, problems.add)]
    papers = with_abstracts(
        paper for path in options.papers for paper in read_papers(path, problems.add)
    )
    if options.pool is not None:
        cited = {
            name for row in [*learn, *check] for name in (*row.cited, *row.context.section_cited)
        }
        others = sorted(set(papers) - cited)
        dice = random.Random(f"pool {options.seed}")
        cited.update(dice.sample(others, min(options.pool, len(others))))
        papers = {name: paper for name, paper in papers.items() if name in cited}
    edges = [edge for path in options.edges for edge in read_edges(path, problems.add)]
    asked = options.dev_contexts or DEV_CONTEXTS
    data = EncoderData(learn, check, papers, edges, dev_contexts=asked, dev_papers=5 * asked)
    return data if options.sample is None else data.sample(options.sample, options.seed)


def _print(before: Mapping[str, float], after: Mapping[str, Any]) -> None:
    names = tuple(before)
    rows = [["base", *figure_cells(before, names)], ["trained", *figure_cells(after, names)]]
    print(table(("development", *names), rows))
