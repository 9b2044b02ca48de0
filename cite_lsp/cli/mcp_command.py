"""Answer a client of the Model Context Protocol until it closes standard input."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from cite_lsp.cli import CommandError
from cite_lsp.installation import how_to_install


def run(options: argparse.Namespace) -> int:
    """Answer until the client closes standard input."""
    for folder in options.folders:
        if not folder.is_dir():
            raise CommandError(f"{folder}: no such folder; name one that holds drafts")
    if find_spec("mcp") is None:
        raise CommandError(f"mcp needs the extra mcp; {how_to_install('mcp')}")
    # Imported where needed: only this command needs the extra.
    from cite_lsp.cli.agents.tools import server

    server(options.folders or [Path.cwd()]).run()
    return 0
