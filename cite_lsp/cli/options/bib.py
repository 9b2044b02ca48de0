"""Work on bibliographies: the entries that drafts cite, works that are in twice, false entries.

With --cited-only, FILE is a draft: the entries that it cites are printed as they stand in its
bibliographies, with the entries, macros and comments that belong to them. The exit status is 1
where a key that it cites has no entry.

With --duplicates, FILE is a .bib file, or a draft that names some: entries that are one work under
several keys are listed, and the exit status is 1 where there are any. An editor can merge them.

With --format, FILE is a .bib file, which is printed with its fields aligned and in order; with
--sort its entries are in the order of their keys, too.

With --verify, FILE is as for --duplicates: entries whose title, authors or year a corpus of this
machine contradicts under their DOI or arXiv number are listed, and those that no corpus knows. The
exit status is 1 where an entry is contradicted.

With --from, the entry of a work that a corpus of this machine has is printed, in the style of the
.bib file FILE if one is given.
"""

from __future__ import annotations

import argparse

from cite_lsp.cli.shared_options import add_bibliographies, add_json
from cite_lsp.paths import expanded


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "files", nargs="*", type=expanded, metavar="FILE", help="drafts, or .bib files"
    )
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument(
        "--cited-only",
        action="store_true",
        help="print the entries that the drafts cite, byte for byte, with what these need",
    )
    action.add_argument(
        "--duplicates", action="store_true", help="list the works that are in under several keys"
    )
    action.add_argument(
        "--format", action="store_true", help="print a .bib file with its fields aligned, in order"
    )
    action.add_argument(
        "--verify", action="store_true", help="list the entries that a corpus contradicts"
    )
    action.add_argument(
        "--from",
        dest="work",
        metavar="WORK",
        help="print the entry of a work by its DOI, arXiv number or title",
    )
    parser.add_argument(
        "--sort", action="store_true", help="with --format: entries in the order of their keys"
    )
    add_bibliographies(parser)
    parser.add_argument(
        "--output", "-o", type=expanded, metavar="FILE", help="write to this file (standard output)"
    )
    add_json(parser)
