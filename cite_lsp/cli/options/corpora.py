"""List the corpora that have been indexed, check that they are whole, or export them.

`cite-lsp corpora check [NAME…]` compares every file with its checksum, reads every paper, and
searches for the nearest neighbours of a sample of papers with and without the graph. A NAME may be
the address of a remote corpus: `list` says whether its server answers and what it has, `check`
counts its papers too and asks for a sample of them. `cite-lsp corpora export NAME --out DIR` writes
papers, references and citation contexts as `cite-lsp train` reads them.
"""

from __future__ import annotations

import argparse

from cite_lsp.cli.shared_options import add_json
from cite_lsp.paths import expanded


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("action", nargs="?", choices=["list", "check", "export"], default="list")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="corpora to list or check (all of this machine), or the one to export; the address "
        "of a remote corpus (milvus+https://HOST:PORT/COLLECTION) asks its server",
    )
    parser.add_argument("--out", type=expanded, metavar="DIR", help="where to export to")
    add_json(parser)
