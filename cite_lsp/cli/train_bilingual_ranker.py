"""`train bilingual-ranker`: the second stage of corpora for Chinese contexts."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.cli.training import one_line_errors, pool_file, print_ranker, some_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.encode import Encoder
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
    from cite_lsp.corpus.contexts import read_contexts
    from cite_lsp.corpus.records import RecordError
    from cite_lsp.encode import EncoderError, load_encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.evaluate.pool import open_pool
    from cite_lsp.search.vectors import SearchIndexError
    from cite_lsp.train.bilingual_card import write_bilingual_card
    from cite_lsp.train.errors import TrainingError
    from cite_lsp.train.recipes import bilingual_ranker
    from cite_lsp.translate.lexicon import LexiconError
    from cite_lsp.translate.translator import shipped_translator

    papers = pool_file(options)
    with one_line_errors(
        options.out, RecordError, EncoderError, SearchIndexError, TrainingError, LexiconError
    ) as (stages, problems):
        corpus = open_pool(papers, stage=stages.show, report=problems.add)
        rows = [row for path in options.contexts for row in read_contexts(path, problems.add)]
        check = [row for path in options.dev for row in read_contexts(path, problems.add)]
        query_encoder, placing = _query_encoders(options.chinese_query_encoder, rows)
        config = bilingual_ranker.train(
            some_of(rows, options.sample),
            some_of(check, options.dev_contexts),
            corpus,
            CachedEncoder(
                load_encoder(threads=os.cpu_count() or 1), remembered=200_000, kept=500_000
            ),
            shipped_translator(),
            options.out,
            query_encoder=query_encoder,
            placing=placing,
            learning_by=_learning_by(options.lexicon),
            seed=options.seed,
            report=stages.show,
        )
        write_bilingual_card(options.out, config, data=data, command=command)
    print_ranker(config, "contexts")
    return 0


def _query_encoders(
    folder: Path | None, rows: Sequence[LabelledContext]
) -> tuple[Encoder, Callable[[str], Encoder]]:
    """Return the query encoder that will be asked, and which one places the contexts of a document.

    The one that ships places all, those that it was trained on better than it will others; of one
    that was trained here, what its folds have left does.
    """
    from cite_lsp.encode import load_encoder
    from cite_lsp.recommend.asking import shipped_chinese_query_encoder
    from cite_lsp.train.held_out_queries import HeldOutQueries

    if folder is None:
        shipped = shipped_chinese_query_encoder()
        return shipped, lambda document: shipped
    own = load_encoder(str(folder), device="cpu", threads=os.cpu_count() or 1)
    return own, HeldOutQueries(folder, own, rows, chinese=True).of
