"""`train bilingual-ranker`: the second stage of corpora for Chinese contexts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.cli.training.training import (
    contexts_in,
    drafts_encoder,
    one_line_errors,
    pool_file,
    print_ranker,
    query_encoder_in,
    some_of,
)

if TYPE_CHECKING:
    from cite_lsp.translate.translator import DictionaryTranslator

RECIPE = "bilingual-ranker"
TAKES = {RECIPE: ("papers", "sample", "dev_contexts", "lexicon", "chinese_query_encoder")}
"""The options that it takes beside those of all recipes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that this recipe has beside those of all recipes."""
    group = parser.add_argument_group("bilingual ranker", f"options of {RECIPE}")
    group.add_argument(
        "--lexicon",
        type=Path,
        metavar="DIR",
        help="the lexicon that --contexts are read with, if the one that ships was learned from"
        " them",
    )


def _learning_by(folder: Path | None) -> DictionaryTranslator | None:
    from cite_lsp.translate.lexicon import Lexicon
    from cite_lsp.translate.translator import DictionaryTranslator

    return DictionaryTranslator(Lexicon.open(folder)) if folder is not None else None


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train, write the trees with their card, and print their worth beside single orders."""
    from cite_lsp.evaluate.pool import open_pool
    from cite_lsp.recommend.query.encoder_input import shipped_chinese_query_encoder
    from cite_lsp.train.rankers import bilingual_ranker
    from cite_lsp.train.rankers.bilingual_card import write_bilingual_card
    from cite_lsp.translate.lexicon import LexiconError
    from cite_lsp.translate.translator import shipped_translator

    papers = pool_file(options)
    with one_line_errors(options.out, LexiconError) as (stages, problems):
        corpus = open_pool(papers, stage=stages.show, report=problems.add)
        rows, check = (contexts_in(paths, problems) for paths in (options.contexts, options.dev))
        query_encoder, placing = query_encoder_in(
            options.chinese_query_encoder, rows, shipped_chinese_query_encoder, chinese=True
        )
        config = bilingual_ranker.train(
            some_of(rows, options.sample),
            some_of(check, options.dev_contexts),
            corpus,
            drafts_encoder(),
            shipped_translator(),
            options.out,
            query_encoder=query_encoder,
            placing=placing,
            learning_by=_learning_by(options.lexicon),
            seed=options.seed,
            progress=stages.show,
        )
        write_bilingual_card(options.out, config, data=data, command=command)
    print_ranker(config, "contexts")
    return 0
