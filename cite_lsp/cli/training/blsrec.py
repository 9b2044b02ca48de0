"""`train blsrec`: the maps between Chinese contexts and English papers, and what they are worth."""

from __future__ import annotations

import argparse
from pathlib import Path

from cite_lsp.cli.output import table, warn
from cite_lsp.cli.training.options import chosen
from cite_lsp.cli.training.training import contexts_in, one_line_errors, papers_in

RECIPE = "blsrec"
TAKES = {
    RECIPE: (
        *("papers", "base", "variant", "algorithm", "start", "drawn_from"),
        *("dimensions", "epochs", "patience", "learning_rate"),
    )
}
"""The options that it takes beside those of all recipes."""
VARIANTS = (1, 2, 3)
ALGORITHMS = ("warp", "batches")
STARTS = ("random", "lexicon")
NEGATIVES = ("pool", "cited")
_SHARED = ("variant", "algorithm", "start", "dimensions", "epochs", "patience", "learning_rate")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that this recipe has beside those of all recipes."""
    group = parser.add_argument_group(
        "BLSRec",
        f"options of {RECIPE}, beside --dimensions, --epochs, --patience and --learning-rate; with"
        " --base DIR a trained model goes on with new contexts",
    )
    group.add_argument("--variant", type=int, choices=VARIANTS, help="I, II or III (3)")
    group.add_argument(
        "--algorithm",
        choices=ALGORITHMS,
        help="in batches, the default, or online WARP as published",
    )
    group.add_argument(
        "--start", choices=STARTS, help="weights to start from: by the lexicon, or random (WARP)"
    )
    group.add_argument(
        "--drawn-from",
        choices=NEGATIVES,
        help="the papers that batches compare with: all (the default), or those cited in the"
        " training alone, so that being cited counts for nothing",
    )


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train a model, write it with its card, and print MAP epoch by epoch."""
    from cite_lsp.recommend.published.bilingual_bags import shipped_bags
    from cite_lsp.train.published import blsrec
    from cite_lsp.train.published.blsrec_card import write_blsrec_card

    given = chosen(options, *_SHARED)
    if options.drawn_from is not None:
        given["negatives"] = options.drawn_from
    if options.algorithm == "warp":
        given.setdefault("start", "random")
    with one_line_errors(options.out) as (stages, problems):
        papers = papers_in(options.papers, problems)
        result = blsrec.train(
            contexts_in(options.contexts, problems),
            contexts_in(options.dev, problems),
            list(papers.values()),
            shipped_bags(),
            options.out,
            blsrec.Settings(seed=options.seed, **given),
            base=None if options.base == "default" else Path(options.base),
            progress=stages.show,
        )
        write_blsrec_card(options.out, result.model.facts, data=data, command=command)
    rows = [
        ["start" if epoch == 0 else f"epoch {epoch}", f"{value:.4f}".lstrip("0")]
        for epoch, value in enumerate(result.history)
    ]
    print(table(("development", "MAP"), rows))
    warn(f"{options.out}: the weights of epoch {result.best_epoch}")
    return 0
