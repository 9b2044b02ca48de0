"""List the corpora that have been indexed, check that they are whole, or export them.

`cite-lsp corpora check [NAME…]` compares every file with its checksum, reads every paper, and
searches for the nearest neighbours of a sample of papers with and without the graph. `cite-lsp
corpora export NAME --out DIR` writes its papers, their references and citation contexts as
`cite-lsp train` reads them.
"""

from __future__ import annotations

import argparse
import functools
import math
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import asdict

from cite_lsp.cli import CommandError
from cite_lsp.cli.output import print_json, warn

if TYPE_CHECKING:
    from cite_lsp.search.corpus_index import CorpusIndex


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("action", nargs="?", choices=["list", "check", "export"], default="list")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="corpora to check (all), or the one to export"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to export to")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    """Print a line for every corpus; 1 if one is damaged."""
    if options.action == "export":
        return _export(options)
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
                    | {
                        "folder": str(corpus.folder),
                        "bytes": size_of(corpus.folder),
                        "citations": _references(corpus),
                    }
                    for corpus in whole
                ],
                "damaged": damaged,
            }
        )
    else:
        for corpus in whole:
            about = corpus.manifest
            references = _references(corpus)
            size = f"{about.papers:,} papers"
            size += f", {references:,} citations" if references else ""
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


def _export(options: argparse.Namespace) -> int:
    from cite_lsp.paths import corpora_folder
    from cite_lsp.search.corpus_export import export_corpus
    from cite_lsp.search.corpus_index import CorpusIndex
    from cite_lsp.search.vectors import SearchIndexError

    if len(options.names) != 1 or options.out is None:
        warn("usage: cite-lsp corpora export NAME --out DIR")
        return 2
    try:
        corpus = CorpusIndex(corpora_folder() / options.names[0])
        found = export_corpus(corpus, options.out)
    except SearchIndexError as error:
        raise CommandError(str(error)) from error
    if options.json:
        print_json(asdict(found) | {"corpus": options.names[0], "folder": str(options.out)})
    else:
        print(
            f"{options.names[0]}: {found.papers:,} papers, {found.citations:,} citations, "
            f"{found.contexts:,} contexts, in {options.out}"
        )
    return 0


def _tell(name: str, what: str) -> None:
    warn(f"{name}: {what} …")


def _references(corpus: CorpusIndex) -> int:
    """Return how many citations a corpus has, 0 where they are damaged: `check` says so."""
    from cite_lsp.search.vectors import SearchIndexError

    try:
        return len(corpus.references or ())
    except SearchIndexError:
        return 0


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
