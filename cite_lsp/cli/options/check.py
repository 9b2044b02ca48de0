"""Check drafts: citations that are missing or empty, unknown keys, broken bibliographies.

A draft is checked with all files that it includes, a .bib file for itself, a folder with all drafts
in it. What is found is what the server would show. The exit status is 1 where there is something or
where a part could not be checked, so that a build can stop on it, and 0 where there is nothing.
"""

from __future__ import annotations

import argparse

from cite_lsp.cli.shared_options import add_bibliographies
from cite_lsp.option_types import share
from cite_lsp.paths import expanded

RULES = {
    "missing-citation": "A sentence leans on work that it does not cite",
    "empty-citation": "A citation without a key, or with a word such as TODO in its place",
    "unknown-key": "A key that no entry of the bibliography has",
    "duplicate-key": "A key that several entries have",
    "duplicate-work": "A work that a bibliography has under several keys",
    "broken-record": "An entry that cannot be read",
    "missing-bibliography": "A bibliography that is not there",
    "unused-entry": "An entry that nothing cites",
    "retracted": "A paper that was retracted, as a corpus knows",
    "preprint": "A preprint that was published, as a corpus knows",
    "unverified-entry": "An entry that a corpus contradicts, or that none knows",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "files",
        nargs="+",
        type=expanded,
        metavar="FILE",
        help="drafts, each with the files that it includes, .bib files, or folders of drafts",
    )
    written = parser.add_mutually_exclusive_group()
    written.add_argument(
        "--format", choices=("text", "json", "sarif"), default="text", help="of the output (text)"
    )
    written.add_argument(
        "--json", dest="format", action="store_const", const="json", help="as --format json"
    )
    parser.add_argument(
        "--level",
        choices=("careful", "balanced", "eager"),
        help="how readily a citation is said to be missing: few and mostly right, or many",
    )
    parser.add_argument(
        "--threshold",
        type=share,
        metavar="SHARE",
        help="likelihood, 0 to 1, that a sentence needs a citation from which on papers are looked"
        " for (the level's own)",
    )
    parser.add_argument(
        "--confidence",
        type=share,
        metavar="SHARE",
        help="likelihood, 0 to 1, of the first paper being right from which on it is told (the"
        " level's own)",
    )
    parser.add_argument(
        "--only",
        choices=sorted(RULES),
        action="append",
        metavar="RULE",
        help=f"only this rule; may be given several times: {', '.join(RULES)}",
    )
    add_bibliographies(parser)
