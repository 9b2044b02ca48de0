"""Measure the recommendations: on labelled contexts, or by masking the citations of real drafts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_lsp.cli import CommandError
from cite_lsp.cli.options import add_json
from cite_lsp.cli.output import figure_cells, print_json, reporting, table
from cite_lsp.cli.tasks import bilingual, missing, references
from cite_lsp.cli.tasks import local as local_task
from cite_lsp.option_types import positive

if TYPE_CHECKING:
    from cite_lsp.evaluate.tasks.manuscripts import MaskedMarker
    from cite_lsp.recommend.library.recommender import System

DRAFT_FIGURES = ("hit@1", "hit@5", "mrr")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    local = tasks.add_parser("local", help="a context, a pool of papers: which does it cite")
    local_task.add_arguments(local)
    lists = tasks.add_parser("global", help="a whole paper, a pool of papers: its references")
    references.add_arguments(lists)
    bilingual.add_arguments(
        tasks.add_parser("bilingual", help="a Chinese context, a pool of English papers")
    )
    drafts = tasks.add_parser("manuscripts", help="mask each citation of real drafts in turn")
    drafts.add_argument("folder", type=Path, metavar="DIR", help="one draft a subfolder")
    drafts.add_argument(
        "--forward", action="store_true", help="as while writing: nothing below the marker exists"
    )
    drafts.add_argument(
        "--entries",
        type=positive,
        metavar="N",
        help="rank among N entries of each bibliography, the right ones and others by chance: what"
        " drafts with libraries of different sizes can be compared by",
    )
    missing.add_without(drafts)
    add_json(drafts)
    missing.add_arguments(
        tasks.add_parser("missing", help="take the citations out of sections of real drafts")
    )


def run(options: argparse.Namespace) -> int:
    """Evaluate and print a table."""
    if options.task == "bilingual":
        return bilingual.run(options)
    if options.task == "missing":
        return missing.run(options)
    if options.task == "global":
        return references.run(options)
    return local_task.run(options) if options.task == "local" else _run_manuscripts(options)


def _run_manuscripts(options: argparse.Namespace) -> int:
    from cite_lsp.evaluate.tasks.manuscripts import evaluate_folder
    from cite_lsp.library import DiskReader
    from cite_lsp.recommend.base.ranker import RankerError
    from cite_lsp.recommend.engine import DraftRecommender
    from cite_lsp.recommend.library.recommender import SYSTEMS

    with reporting(NotADirectoryError, RankerError) as (stages, problems):
        markers = evaluate_folder(
            options.folder,
            DraftRecommender(read=DiskReader()),
            forward=options.forward,
            without=options.without,
            entries=options.entries,
            report=problems.add,
            progress=lambda name, count: stages.advance("markers", count),
        )
    if not markers:
        wanted = "no draft here cites an entry of its own bibliography"
        raise CommandError(f"{options.folder}: {wanted}; give a folder of drafts")
    report = _draft_report(markers, SYSTEMS)
    trust = _trust_report(markers)
    if options.json:
        print_json(
            {
                "task": "manuscripts",
                "forward": options.forward,
                "entries": options.entries,
                "figures": report,
                "calibration": trust,
            }
        )
        return 0
    for part, by_system in report.items():
        count = next(iter(by_system.values()))["markers"]
        print(f"\n{part}: {count:,.0f} markers")
        body = [[system, *figure_cells(by_system[system], DRAFT_FIGURES)] for system in SYSTEMS]
        print(table(("order", *DRAFT_FIGURES), body))
    for part, bins in trust.items():
        print(f"\n{part}: how often the first recommendation was right, by its score")
        body = [
            [f"{row['from']:.1f} …", f"{row['markers']:,}", f"{row['right']:.2f}"] for row in bins
        ]
        print(table(("score", "markers", "right"), body))
    return 0


def _trust_report(markers: Sequence[MaskedMarker]) -> dict[str, list[dict[str, float]]]:
    from cite_lsp.evaluate.metrics import calibration

    report = {}
    for language, name in (("en", "English"), ("zh", "Chinese")):
        mine = [
            (marker.confidence, marker.ranks.get("default") == 1)
            for marker in markers
            if marker.language == language and marker.confidence is not None
        ]
        if mine:
            report[name] = calibration([score for score, _ in mine], [hit for _, hit in mine])
    return report


def _draft_report(markers: Sequence[MaskedMarker], systems: Sequence[System]) -> dict[str, Any]:
    from cite_lsp.evaluate.metrics import hit_figures

    report = {}
    for language, name in (("en", "English"), ("zh", "Chinese")):
        mine = [marker for marker in markers if marker.language == language]
        parts = {
            name: mine,
            f"{name}, first mention": [marker for marker in mine if not marker.repeated],
            f"{name}, repeated": [marker for marker in mine if marker.repeated],
        }
        for title, part in parts.items():
            if part:
                report[title] = {
                    system: hit_figures([marker.ranks[system] for marker in part])
                    for system in systems
                }
    return report
