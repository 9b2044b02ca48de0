"""List the corpora that have been indexed, or check that they are whole.

`cite-lsp corpora check [NAME…]` compares every file with its checksum, reads every paper, and
searches for the nearest neighbours of a sample of papers with and without the graph.
"""

from __future__ import annotations

import argparse
import functools
import math
from pathlib import Path

from attrs import asdict

from cite_lsp.cli import CommandError
from cite_lsp.cli.output import print_json, warn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("action", nargs="?", choices=["list", "check"], default="list")
    parser.add_argument("names", nargs="*", metavar="NAME", help="corpora to check (all)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    """Print a line for every corpus; 1 if one is damaged."""
    return _check(options) if options.action == "check" else _list(options)


def _list(options: argparse.Namespace) -> int:
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
                    asdict(corpus.manifest)
                    | {"folder": str(corpus.folder), "bytes": size_of(corpus.folder)}
                    for corpus in whole
                ],
                "damaged": damaged,
            }
        )
    else:
        for corpus in whole:
            about = corpus.manifest
            size = f"{about.papers:,} papers"
            megabytes = f"{size_of(corpus.folder) / 1e6:,.0f} MB"
            print(f"{about.name}: {size}, encoder {about.encoder}, {megabytes}, {corpus.folder}")
        for message in damaged:
            print(f"damaged: {message}")
        if not corpora:
            print(f"none yet in {corpora_folder()}; build one with `cite-lsp index SOURCE`")
    return 1 if damaged else 0


def _check(options: argparse.Namespace) -> int:
    from cite_lsp.paths import corpora_folder
    from cite_lsp.search.corpus_check import check_corpus
    from cite_lsp.search.corpus_index import corpus_folders

    root = corpora_folder()
    folders = [root / name for name in options.names] or corpus_folders(root)
    if not folders:
        raise CommandError("no corpus has been indexed; build one with `cite-lsp index SOURCE`")
    checks = []
    for folder in folders:
        found = check_corpus(folder, functools.partial(_tell, folder.name))
        checks.append(found)
        if not options.json:
            recall = "" if math.isnan(found.recall) else f", recall@10 {found.recall:.3f}"
            state = "whole" if not found.faults else "damaged"
            print(f"{found.name}: {state}, {found.papers:,} papers{recall}")
            for fault in found.faults:
                print(f"  {fault}")
    if options.json:
        print_json(
            {
                "corpora": [
                    asdict(found)
                    | {"recall": None if math.isnan(found.recall) else round(found.recall, 4)}
                    for found in checks
                ]
            }
        )
    return 1 if any(found.faults for found in checks) else 0


def _tell(name: str, what: str) -> None:
    warn(f"{name}: {what} …")


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
