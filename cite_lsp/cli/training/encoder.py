"""`train` for the encoder recipes: their options, their data, their figures."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cite_lsp.cli import UsageError
from cite_lsp.cli.options import add_paths, positive, rate
from cite_lsp.cli.output import Problems, warn
from cite_lsp.cli.training import heads
from cite_lsp.cli.training.options import chosen
from cite_lsp.cli.training.training import (
    contexts_in,
    edges_in,
    one_line_errors,
    papers_in,
    print_figures,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.corpus.edges import Edge
    from cite_lsp.paper import Paper
    from cite_lsp.train.data.encoder_data import EncoderData

GRAPH_RECIPE = "kieu"
"""The one that learns from lists of references, not from contexts."""
DEV_CONTEXTS = 400
_SHARED = ("epochs", "batch", "learning_rate", "max_tokens", "patience")
_OWN = ("negatives", "lent", "ablate", "loss")
_ALL = ("papers", "base", "negatives", *_SHARED, "sample", "dev_contexts")
_PHASE = (*_ALL, "pool", "lent", "head")
TAKES = {
    "tanaka-phase1": _PHASE,
    "tanaka-phase2": _PHASE,
    "mp-bert4cr": (*_PHASE, "ablate"),
    "corpus-encoder": (*_ALL, "pool", "edges"),
    GRAPH_RECIPE: (*_ALL, "edges", "loss"),
}
"""The options that each takes beside those of all recipes."""
RECIPES = tuple(TAKES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that the encoder recipes have beside those of all recipes."""
    group = parser.add_argument_group("encoders", "options of " + ", ".join(RECIPES))
    group.add_argument(
        "--base",
        default="default",
        metavar="NAME",
        help="checkpoint to start from: a name, a folder, or the hub id of a fetched one"
        " (default: the bundled one)",
    )
    group.add_argument(
        "--negatives",
        type=positive,
        metavar="N",
        help="negatives an example (the two phases and mp-bert4cr: 7, the others: 1)",
    )
    group.add_argument(
        "--lent",
        type=positive,
        metavar="N",
        help="of the negatives, N are those of other examples of the batch, so that they need not"
        " be embedded anew (the two phases and mp-bert4cr; by default none)",
    )
    group.add_argument(
        "--ablate",
        action="append",
        choices=("positives", "co-citation", "contexts"),
        help="what mp-bert4cr leaves out: the other papers of a marker, negatives once cited"
        " together with the positive, contexts that change",
    )
    group.add_argument(
        "--loss", choices=("triplet", "siamese"), help="what kieu makes small (triplet)"
    )
    group.add_argument("--epochs", type=positive, metavar="N")
    group.add_argument("--batch", type=positive, metavar="N", help="examples a step")
    group.add_argument("--learning-rate", type=rate, metavar="RATE")
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
    add_paths(
        group,
        "--edges",
        help="citations of training documents (citing<TAB>cited), for corpus-encoder and kieu",
    )


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train an encoder and print what it gained; `data` and `command` are for its card."""
    import importlib

    if options.head:
        return heads.run(options, data, command)
    from cite_lsp.train.encoders.encoder_run import RunSettings
    from cite_lsp.train.encoders.triplet_run import NEGATIVES
    from cite_lsp.train.run.card import Origin
    from cite_lsp.train.run.recipes import recipe_module

    recipe = importlib.import_module(recipe_module(options.recipe))
    shared, more = chosen(options, *_SHARED, "seed"), chosen(options, *_OWN)
    if (options.lent or 0) >= (count := options.negatives or NEGATIVES):
        raise UsageError(f"--lent: one of the {count} negatives has to be an example's own")
    read = _read_graph if options.recipe == GRAPH_RECIPE else _read
    with one_line_errors(options.out) as (stages, problems):
        result = recipe.train(
            read(options, problems),
            options.out,
            RunSettings(**shared),
            Origin(data, command),
            base=options.base,
            progress=stages.show,
            **more,
        )
    print_figures({"base": result.before, "trained": result.after})
    warn(f"{options.out}: step {result.best_step:,} of {result.steps:,}, on {result.device}")
    return 0


def _read(options: argparse.Namespace, problems: Problems) -> EncoderData:
    import random

    from cite_lsp.corpus.formats.papers import read_papers
    from cite_lsp.train.data.encoder_data import with_abstracts

    learn, check = (contexts_in(paths, problems) for paths in (options.contexts, options.dev))
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
    return _data(options, learn, check, papers, [*edges_in(options.edges, problems)])


def _read_graph(options: argparse.Namespace, problems: Problems) -> EncoderData:
    """Read lists of references, and the papers of the graph that they make.

    The papers that development asks with are no answers: they are left out.
    """
    from cite_lsp.corpus.reference_lists import as_context, read_reference_lists

    learn, check = (
        [one for path in paths for one in read_reference_lists(path, problems.add)]
        for paths in (options.contexts, options.dev)
    )
    edges = [*edges_in(options.edges, problems)]
    wanted = {name for one in (*learn, *check) for name in (one.citing_id, *one.cited)}
    wanted |= {name for edge in edges for name in (edge.citing, edge.cited)}
    papers = papers_in(options.papers, problems, wanted)
    rows = [as_context(one, papers.get(one.citing_id)) for one in learn]
    held_out = [as_context(one, papers.get(one.citing_id)) for one in check]
    for one in check:
        papers.pop(one.citing_id, None)
    return _data(options, rows, held_out, papers, edges)


def _data(
    options: argparse.Namespace,
    learn: Sequence[LabelledContext],
    check: Sequence[LabelledContext],
    papers: Mapping[str, Paper],
    edges: Sequence[Edge],
) -> EncoderData:
    """Put together what was read, in the sizes that the options ask for."""
    from cite_lsp.train.data.encoder_data import EncoderData

    asked = options.dev_contexts or DEV_CONTEXTS
    data = EncoderData(learn, check, papers, edges, dev_contexts=asked, dev_papers=5 * asked)
    return data if options.sample is None else data.sample(options.sample, options.seed)
