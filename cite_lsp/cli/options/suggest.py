"""Recommend papers for a place in a draft, as the server would there.

Without a line, for every marker and every sentence that has none. The settings are those of
the cite-lsp.toml files above the draft; options win.
"""

from __future__ import annotations

import argparse

from cite_lsp.cli.shared_options import add_bibliographies, add_corpora, add_json, add_method
from cite_lsp.option_types import positive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "place", metavar="FILE[:LINE[:COLUMN]]", help="line and column count from 1, in characters"
    )
    parser.add_argument(
        "-k", type=positive, default=10, metavar="N", help="papers a place (default 10)"
    )
    add_bibliographies(parser)
    add_corpora(parser, "a corpus")
    parser.add_argument(
        "--translator",
        metavar="NAME",
        help="what translates Chinese: dictionary, or a Marian model on this machine, by its folder"
        " or its name on the hub (that of the settings)",
    )
    add_method(parser)
    add_json(parser)
