"""`eval missing`: take the citations out of sections of real drafts, and see which come back."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from attrs import evolve

from cite_lsp.cli.arguments.shared_options import add_json
from cite_lsp.cli.printing.output import figure_cells, print_json, reporting, table
from cite_lsp.cli.printing.output_files import write_output
from cite_lsp.cli.tasks.manuscripts import add_without, by_language, no_citation
from cite_lsp.cli.tasks.result_files import require_writable
from cite_lsp.evaluate.charts import Panel, draw_trade_offs
from cite_lsp.evaluate.tasks.missing import MaskedSentence, evaluate_folder, figures, trade_off
from cite_lsp.option_types import drawing
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.missing.gaps import CERTAIN, DEFAULT_LEVEL, LEVELS

_FIGURES = ("recall@1", "recall@3", "precision", "sentence precision")
_BASELINE = "BM25, every sentence"
_AT_ONCE = "the whole draft at once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="one draft a subfolder")
    add_without(parser)
    parser.add_argument(
        "--figure", type=drawing, metavar="OUT.svg", help="draw precision against recall here"
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Evaluate and print a table for each language."""
    require_writable(options)
    with reporting() as (stages, problems):
        rows = evaluate_folder(
            options.folder,
            FilesOnDisk().read,
            without=options.without,
            report=problems.add,
            progress=partial(stages.advance, "sentences"),
        )
    if not rows:
        raise no_citation(options.folder)
    report = _report(rows)
    if options.figure:
        _draw(rows, report, options.figure)
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


def _report(rows: Sequence[MaskedSentence]) -> dict[str, dict[str, dict[str, Any]]]:
    report = {}
    for language, mine in by_language(rows).items():
        systems = {_BASELINE: figures(mine, baseline=True)}
        for name, level in LEVELS.items():
            shown = f"{name} (the default)" if name == DEFAULT_LEVEL else name
            systems[shown] = figures(mine, level)
        certain = evolve(LEVELS[DEFAULT_LEVEL], confidence=CERTAIN)
        systems[_AT_ONCE] = figures(mine, certain)
        report[language] = systems
    return report


def _draw(
    rows: Sequence[MaskedSentence],
    report: Mapping[str, Mapping[str, Mapping[str, Any]]],
    path: Path,
) -> None:
    panels = [
        Panel(
            language,
            {"every confidence": trade_off(mine)},
            {
                name.removesuffix(" (the default)"): (values["recall@1"], values["precision"])
                for name, values in report[language].items()
            },
        )
        for language, mine in by_language(rows).items()
    ]
    write_output(path, draw_trade_offs(panels))
