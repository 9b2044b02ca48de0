"""Build or update a corpus from files, folders and globs; the format is detected.

Run again with the same source, it adds new papers, updates changed ones and removes those the
source no longer has; papers from other sources stay. Without a source, all earlier sources are read
again. An interrupted run continues when you repeat the command. A new corpus gets the accurate
encoder if that takes under ten minutes or there is a GPU, else the fast one; later runs keep it
unless you name another.
"""

from __future__ import annotations

import argparse

from cite_lsp.option_types import positive

AUTO = "auto"
"""The encoder that is chosen by what there is to embed."""
MAX_TOKENS = 128
"""Where texts are cut for the encoder, unless an option or the corpus has another number."""
ENGINES = ("usearch", "milvus")
_VECTOR_INDEXES = ("auto", "hnsw", "ivf_sq8", "diskann")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("sources", metavar="SOURCE", nargs="*", help="file, folder or glob")
    parser.add_argument("--corpus", default="papers", metavar="NAME", help="its name (papers)")
    parser.add_argument(
        "--encoder",
        default=AUTO,
        metavar="NAME",
        help="name or folder of the encoder (auto: the one the corpus has, or what suits its size)",
    )
    _add_cluster_arguments(parser)
    parser.add_argument(
        "--max-tokens",
        type=positive,
        metavar="N",
        help="where titles and abstracts are cut for the encoder (as the corpus has it, or "
        f"{MAX_TOKENS})",
    )
    parser.add_argument(
        "--replace", action="store_true", help="forget the papers of all other sources"
    )
    parser.add_argument(
        "--wait", action="store_true", help="wait while another process builds this corpus"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument(
        "--json-progress",
        action="store_true",
        help="for programs: tell the progress as JSON, a line each on stderr; give way to others",
    )


def _add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what there is for more than one machine: where papers go, what embeds them."""
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default=ENGINES[0],
        help="what searches: usearch on this machine, or a Milvus server",
    )
    parser.add_argument(
        "--uri",
        default="",
        metavar="URI",
        help="the Milvus server, https://HOST:PORT, or a file of Milvus Lite",
    )
    parser.add_argument(
        "--vector-index",
        choices=_VECTOR_INDEXES,
        default="auto",
        help="how a new Milvus collection indexes vectors (auto: as the server sees fit)",
    )
    parser.add_argument(
        "--ray",
        default="",
        metavar="ADDRESS",
        help="embed on this Ray cluster, HOST:PORT or auto",
    )
