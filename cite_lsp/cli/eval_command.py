"""Run a task of the evaluation."""

from __future__ import annotations

import argparse

from cite_lsp.cli.options.eval import TASKS


def run(options: argparse.Namespace) -> int:
    """Evaluate and print a table."""
    status: int = TASKS[options.task][0].run(options)
    return status
