"""`eval doubts`: how many right and how many wrong citations of real drafts are called doubtful."""

from __future__ import annotations

import argparse
from pathlib import Path

from cite_lsp.cli.arguments.shared_options import add_json
from cite_lsp.cli.printing.output import figure_cells, print_json, reporting, table
from cite_lsp.cli.tasks.manuscripts import add_without, by_language, no_citation
from cite_lsp.evaluate.tasks.doubts import doubt_figures, judge_drafts
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.engine import DraftRecommender

_FIGURES = ("right", "wrong", "wrong, alike")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="one draft a subfolder")
    add_without(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Evaluate and print a table, a row for each language."""
    reader = DraftReader(FilesOnDisk().read)
    with reporting() as (stages, problems), DraftRecommender(reader, typing=False) as recommender:
        rows = judge_drafts(
            options.folder,
            recommender,
            without=options.without,
            report=problems.add,
            progress=lambda name, count: stages.advance("citations", count),
        )
    if not rows:
        raise no_citation(options.folder)
    figures = {
        language: doubt_figures(language_rows)
        for language, language_rows in by_language(rows).items()
    }
    if options.json:
        print_json({"task": "doubts", "figures": figures})
        return 0
    body = [
        [language, f"{values['citations']:,.0f}", *figure_cells(values, _FIGURES)]
        for language, values in figures.items()
    ]
    print(table(("in doubt", "citations", *_FIGURES), body))
    return 0
