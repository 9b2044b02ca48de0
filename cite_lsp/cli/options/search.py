"""Search the indexed corpora, or bibliographies, by words and by meaning.

Papers that have all the words, in title, authors and year, stand first. A DOI or an arXiv number
asks for its paper alone. Where no paper has any of the words, a line says so: what is listed then
is nearest in meaning.
"""

from __future__ import annotations

import argparse

from cite_lsp.cli.shared_options import add_json
from cite_lsp.option_types import add_paths, positive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "query", nargs="+", metavar="QUERY", help="words of a title, names, or a whole sentence"
    )
    parser.add_argument(
        "--corpus", metavar="NAME", help="search this one only, or the address of a remote one"
    )
    add_paths(
        parser,
        "--bibliography",
        "-b",
        help="search this file and no corpus; may be given several times",
    )
    parser.add_argument(
        "--years", default="", metavar="YEARS", help="2015-2020, 2015-, -2020, 2015"
    )
    parser.add_argument(
        "--venue", action="append", default=[], metavar="NAME", help="part of a venue's name"
    )
    parser.add_argument("--language", default="", metavar="CODES", help="such as en,zh")
    parser.add_argument(
        "-k", type=positive, default=10, metavar="N", help="papers to show (default 10)"
    )
    add_json(parser)
