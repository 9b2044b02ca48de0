"""List the models that are installed: encoders and rankers, what ships and what the user added."""

from __future__ import annotations

import argparse

from cite_lsp.cli.shared_options import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_json(parser)
