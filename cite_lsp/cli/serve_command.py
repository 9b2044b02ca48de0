"""Start the language server."""

from __future__ import annotations

import argparse
import sys

from cite_lsp.cli import CommandError
from cite_lsp.server import serve


def run(options: argparse.Namespace) -> int:
    """Serve until the client says exit."""
    if options.tcp is None and (sys.stdin is None or sys.stdout is None):
        raise CommandError(
            "standard input or output is closed, where the server talks to an editor; "
            "open both, or name an address by --tcp HOST:PORT"
        )
    try:
        serve(options.tcp)
    except OSError as error:
        if options.tcp is None:
            raise
        where = "{}:{}".format(*options.tcp)
        raise CommandError(f"--tcp {where}: {error.strerror}; name another address") from error
    return 0
