"""Answer a program, such as a writing assistant, on stdio by the Model Context Protocol.

Its tools are commands of this command line, with the answers that these give as JSON, and one that
adds an entry to a bibliography that a draft names. Only files in the folders named are read or
written, with what the drafts there include and cite from. Nothing leaves the machine.
"""

from __future__ import annotations

import argparse

from cite_lsp.paths import expanded


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "folders",
        nargs="*",
        type=expanded,
        metavar="FOLDER",
        help="folders of drafts that may be worked on (the current one)",
    )
