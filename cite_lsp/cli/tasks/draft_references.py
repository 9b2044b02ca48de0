"""`eval references`: take half of the references from real drafts, and see which come back."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cite_lsp.cli import CommandError
from cite_lsp.cli.arguments.shared_options import add_json, add_seed
from cite_lsp.cli.printing.output import figure_cells, interval_cell, print_json, reporting, table
from cite_lsp.cli.tasks.manuscripts import add_without
from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.evaluate.tasks.draft_references import (
    FEWEST,
    SYSTEMS,
    DraftPool,
    RankedDraft,
    halved_drafts,
    rank_drafts,
    ratio_interval,
    recall_figures,
    recall_intervals,
)
from cite_lsp.project.files_on_disk import FilesOnDisk

_SHOWN = ("recall@10", "recall@20", "recall@50", "mrr")
_CUTOFF = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="one draft a subfolder")
    add_without(parser)
    add_seed(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Evaluate and print a table."""
    with reporting() as (stages, problems):
        drafts = list(
            halved_drafts(
                options.folder,
                FilesOnDisk().read,
                seed=options.seed,
                without=options.without,
                report=problems.add,
            )
        )
        if not drafts:
            raise CommandError(
                f"{options.folder}: no draft here cites {FEWEST} entries of its own bibliography; "
                "give a folder of drafts"
            )
        stages.advance("drafts read", len(drafts))
        pool = DraftPool(drafts, CachedEncoder(load_encoder("default")))
        ranked = {
            system: rank_drafts(
                drafts, pool, system, progress=partial(stages.advance, f"{system}, drafts")
            )
            for system in SYSTEMS
        }
    _report(options, len(pool), ranked)
    return 0


def _report(
    options: argparse.Namespace, papers: int, ranked: Mapping[str, Sequence[RankedDraft]]
) -> None:
    reports: dict[str, dict[str, Any]] = {
        system: {"figures": recall_figures(rows), "intervals": recall_intervals(rows)}
        for system, rows in ranked.items()
    }
    ratios = {
        system: ratio_interval(ranked["default"], ranked[system], _CUTOFF)
        for system in SYSTEMS
        if system != "default"
    }
    if options.json:
        by_draft = {
            row.name: {system: rows[number].recall(_CUTOFF) for system, rows in ranked.items()}
            for number, row in enumerate(ranked["default"])
        }
        print_json(
            {
                "task": "references",
                "papers": papers,
                "systems": reports,
                "ratios": ratios,
                "drafts": by_draft,
            }
        )
        return
    figures = reports["default"]["figures"]
    print(
        f"{figures['drafts']:,} drafts, {figures['removed']:,} references removed, "
        f"{papers:,} papers"
    )
    interval = f"recall@{_CUTOFF}"
    body = [
        [
            system,
            *figure_cells(report["figures"], _SHOWN),
            interval_cell(report["intervals"][interval]),
        ]
        for system, report in reports.items()
    ]
    print(table(("system", *_SHOWN, f"{interval}, 95 %"), body))
    for system, (ratio, low, high) in ratios.items():
        print(f"default has {ratio:.2f} times the {interval} of {system} ({low:.2f}–{high:.2f})")
