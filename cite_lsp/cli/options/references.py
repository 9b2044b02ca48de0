"""List what a draft as a whole should cite and does not, by topic.

Papers come from the draft's bibliographies and from the corpora on this machine. Each has reasons
and the sentence that it would go to. The settings are those of the cite-lsp.toml files above the
draft; options win.
"""

from __future__ import annotations

import argparse

from cite_lsp.cli.shared_options import add_bibliographies, add_corpora, add_json
from cite_lsp.option_types import positive
from cite_lsp.paths import expanded

LIMIT = 20
"""Papers that are listed, unless another number is asked for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=expanded, metavar="FILE", help="the draft, any file of it")
    parser.add_argument(
        "-k", type=positive, default=LIMIT, metavar="N", help=f"papers at most (default {LIMIT})"
    )
    add_bibliographies(parser)
    add_corpora(parser, "a corpus on this machine")
    written = parser.add_mutually_exclusive_group()
    add_json(written)
    written.add_argument(
        "--html",
        type=expanded,
        metavar="OUT",
        help="write one page to read in a browser, which needs nothing but itself",
    )
    written.add_argument(
        "--bibtex",
        action="store_true",
        help="print the BibTeX entries of those papers that the library lacks",
    )
