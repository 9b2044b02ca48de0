"""Check that everything works: Python, the models that ship, the user's folders, a ranking."""

from __future__ import annotations

import argparse

from cite_lsp.cli.shared_options import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_json(parser)
