"""`eval missing`: take the citations out of sections of real drafts, and see which come back."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_lsp.cli import CommandError
from cite_lsp.cli.output import Stages, figure_cells, print_json, table

if TYPE_CHECKING:
    from cite_lsp.evaluate.missing import Emptied

_FIGURES = ("recall@1", "recall@3", "precision", "sentence precision")
_LOWEST = 0.1
_THRESHOLDS = (0.2, 0.5)
_BASELINE = "BM25, every sentence"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="one draft a subfolder")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    """Evaluate and print a table for each language."""
    from cite_lsp.evaluate.missing import evaluate_folder
    from cite_lsp.library import DiskReader
    from cite_lsp.recommend.ranker import RankerError
    from cite_lsp.recommend.worthiness import WorthinessError

    stages = Stages()
    try:
        rows = evaluate_folder(
            options.folder,
            DiskReader(),
            progress=lambda name, count: stages.advance("sentences", count),
        )
    except (NotADirectoryError, RankerError, WorthinessError) as error:
        raise CommandError(str(error)) from error
    finally:
        stages.close()
    if not rows:
        wanted = "no draft here cites an entry of its own bibliography"
        raise CommandError(f"{options.folder}: {wanted}; give a folder of drafts")
    report = _report(rows)
    if options.json:
        print_json({"task": "missing", "sentences": len(rows), "figures": report})
        return 0
    for language, systems in report.items():
        removed = next(iter(systems.values()))["removed"]
        print(f"\n{language}: {removed:,.0f} citations removed")
        body = [
            [name, f"{values['offers']:,.0f}", *figure_cells(values, _FIGURES)]
            for name, values in systems.items()
        ]
        print(table(("offered", "offers", *_FIGURES), body))
    return 0


def _report(rows: Sequence[Emptied]) -> dict[str, dict[str, dict[str, Any]]]:
    from cite_lsp.evaluate.missing import figures
    from cite_lsp.recommend.missing import CERTAIN
    from cite_lsp.recommend.worthiness import THRESHOLD

    report = {}
    for code, language in (("en", "English"), ("zh", "Chinese")):
        mine = [row for row in rows if row.language == code]
        if not mine:
            continue
        systems = {
            _BASELINE: figures(mine, baseline=True),
            f"from {_LOWEST:.2f}, however unsure": figures(mine, _LOWEST, 0.0),
        }
        for threshold in sorted({*_THRESHOLDS, THRESHOLD}):
            default = " (the default)" if threshold == THRESHOLD else ""
            systems[f"from {threshold:.2f}{default}"] = figures(mine, threshold)
        systems["for the whole draft at once"] = figures(mine, THRESHOLD, CERTAIN)
        report[language] = systems
    return report
