"""Run a task of the evaluation."""

from __future__ import annotations

import argparse

from cite_lsp.cli.tasks import (
    bilingual,
    doubts,
    draft_references,
    global_recommendation,
    local,
    manuscripts,
    missing,
)

TASKS = {
    "local": (local, "a context, a pool of papers: which does it cite"),
    "global": (global_recommendation, "a whole paper, a pool of papers: its references"),
    "bilingual": (bilingual, "a Chinese context, a pool of English papers"),
    "manuscripts": (manuscripts, "mask each citation of real drafts in turn"),
    "references": (draft_references, "take half of the references from real drafts"),
    "missing": (missing, "take the citations out of sections of real drafts"),
    "doubts": (doubts, "put wrong keys into citations of real drafts"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of each task."""
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    for name, (task, text) in TASKS.items():
        task.add_arguments(tasks.add_parser(name, help=text))


def run(options: argparse.Namespace) -> int:
    """Evaluate and print a table."""
    status: int = TASKS[options.task][0].run(options)
    return status
