"""List the corpora that have been indexed."""

from __future__ import annotations

import argparse

from attrs import asdict

from cite_lsp.cli.output import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    """Print a line for every corpus; 1 if one is damaged."""
    from cite_lsp.paths import corpora_folder
    from cite_lsp.search.corpus_index import list_corpora
    from cite_lsp.search.vectors import SearchIndexError

    corpora = list_corpora(corpora_folder())
    whole = [corpus for corpus in corpora if not isinstance(corpus, SearchIndexError)]
    damaged = [str(corpus) for corpus in corpora if isinstance(corpus, SearchIndexError)]
    if options.json:
        print_json(
            {
                "folder": str(corpora_folder()),
                "corpora": [
                    asdict(corpus.manifest) | {"folder": str(corpus.folder)} for corpus in whole
                ],
                "damaged": damaged,
            }
        )
    else:
        for corpus in whole:
            about = corpus.manifest
            size = f"{about.papers:,} papers"
            print(f"{about.name}: {size}, encoder {about.encoder}, {corpus.folder}")
        for message in damaged:
            print(f"damaged: {message}")
        if not corpora:
            print(f"none yet in {corpora_folder()}; build one with `cite-lsp index SOURCE`")
    return 1 if damaged else 0
