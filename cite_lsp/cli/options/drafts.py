"""List what is kept of your drafts, learn from those on your disk, or forget it.

What one draft cites, and beside which words, counts for the next. Drafts that you opened in an
editor or gave to suggest or check are known already; `cite-lsp drafts add FOLDER` reads all that
lie in a folder. Checksums of words, vectors and the papers cited are kept, no running text (see
`otherDrafts` in the settings).
`cite-lsp drafts forget FOLDER` removes what is kept of them.
"""

from __future__ import annotations

import argparse

from cite_lsp.cli.shared_options import add_json
from cite_lsp.paths import expanded


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("action", nargs="?", choices=["list", "add", "forget"], default="list")
    parser.add_argument(
        "paths",
        nargs="*",
        type=expanded,
        metavar="PATH",
        help="drafts, or folders of them, to learn from or to forget",
    )
    add_json(parser)
