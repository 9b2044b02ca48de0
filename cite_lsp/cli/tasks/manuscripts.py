"""`eval manuscripts`: mask each citation of real drafts in turn; figures for each language."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from cite_lsp.cli import CommandError
from cite_lsp.cli.arguments.shared_options import add_json, add_method
from cite_lsp.cli.printing.output import figure_cells, interval_cell, print_json, reporting, table
from cite_lsp.evaluate.metrics import calibration, hit_figures, hit_intervals
from cite_lsp.evaluate.tasks.doubts import JudgedCitation
from cite_lsp.evaluate.tasks.manuscripts import MaskedMarker, evaluate_drafts, find_drafts, parts_of
from cite_lsp.evaluate.tasks.missing import MaskedSentence
from cite_lsp.option_types import positive
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.library.recommender import BY_METHOD, SYSTEMS, System
from cite_lsp.recommend.published.methods import DEFAULT, MethodChoice, Methods

DRAFT_FIGURES = ("hit@1", "hit@5", "mrr")
Row = TypeVar("Row", MaskedMarker, MaskedSentence, JudgedCitation)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="one draft a subfolder")
    parser.add_argument(
        "--forward", action="store_true", help="as while writing: nothing below the marker exists"
    )
    parser.add_argument(
        "--entries",
        type=positive,
        metavar="N",
        help="rank among N entries of each bibliography, the right ones and others by chance: what"
        " drafts with libraries of different sizes can be compared by",
    )
    add_without(parser)
    add_method(parser)
    add_json(parser)


def add_without(parser: argparse.ArgumentParser) -> None:
    """Declare the option that leaves out drafts."""
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="NAME",
        help="leave out a draft, by the name of its folder: one that something was learned from",
    )


def by_language(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return rows by the English name of their language, those of English first."""
    groups = {
        name: [row for row in rows if row.language == code]
        for code, name in (("en", "English"), ("zh", "Chinese"))
    }
    return {name: group for name, group in groups.items() if group}


def no_citation(folder: Path) -> CommandError:
    """Return the error of a folder in which nothing can be measured."""
    nothing = "no draft here cites an entry of its own bibliography"
    return CommandError(f"{folder}: {nothing}; give a folder of drafts")


def run(options: argparse.Namespace) -> int:
    """Evaluate and print a table for each language, and one of its parts."""
    methods = Methods(MethodChoice(tuple(options.method or (DEFAULT,))))
    with reporting() as (stages, problems):
        markers = evaluate_drafts(
            find_drafts(options.folder, options.without, problems.add),
            DraftRecommender(DraftReader(FilesOnDisk().read), methods=methods),
            (*SYSTEMS, BY_METHOD) if methods else SYSTEMS,
            forward=options.forward,
            entries=options.entries,
            progress=partial(stages.advance, "markers"),
        )
    if not markers:
        raise no_citation(options.folder)
    report = {name: _figures(part, methods) for name, part in _parts(markers).items()}
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
    for language in by_language(markers):
        _print_language(language, report)
    for part, bins in trust.items():
        print(f"\n{part}: how often the first recommendation was right, by its score")
        body = [
            [f"{row['from']:.1f} …", f"{row['markers']:,}", f"{row['right']:.2f}"] for row in bins
        ]
        print(table(("score", "markers", "right"), body))
    return 0


def _parts(markers: Sequence[MaskedMarker]) -> dict[str, Sequence[MaskedMarker]]:
    parts: dict[str, Sequence[MaskedMarker]] = {}
    for language, language_markers in by_language(markers).items():
        parts[language] = language_markers
        parts |= {f"{language}, {name}": part for name, part in parts_of(language_markers).items()}
    return parts


def _figures(markers: Sequence[MaskedMarker], methods: Methods) -> dict[str, dict[str, Any]]:
    """Return the figures of each system with their intervals, which draw whole drafts."""
    named: dict[System, str] = {system: system for system in SYSTEMS}
    if methods:
        named[BY_METHOD] = " or ".join(methods.choice.names)
    drafts = [marker.draft for marker in markers]
    report: dict[str, dict[str, Any]] = {}
    for system, name in named.items():
        ranks = [marker.ranks[system] for marker in markers]
        report[name] = {
            **hit_figures(ranks),
            "drafts": len(set(drafts)),
            "intervals": hit_intervals(ranks, drafts),
        }
    return report


def _print_language(language: str, report: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
    """Print what each system makes of a language, and what the default one makes of its parts."""
    headings = [heading for name in DRAFT_FIGURES for heading in (name, "95 %")]
    systems = report[language]
    counts = systems["default"]
    print(f"\n{language}: {counts['markers']:,} markers of {counts['drafts']:,} drafts")
    print(table(("order", *headings), [[name, *_cells(row)] for name, row in systems.items()]))
    parts = {
        name.removeprefix(f"{language}, "): by_system["default"]
        for name, by_system in report.items()
        if name.startswith(f"{language}, ")
    }
    body = [
        [name, f"{row['markers']:,}", f"{row['drafts']:,}", *_cells(row)]
        for name, row in parts.items()
    ]
    if body:
        print(f"\n{language}, default")
        print(table(("part", "markers", "drafts", *headings), body))


def _cells(row: Mapping[str, Any]) -> list[str]:
    return [
        cell
        for name in DRAFT_FIGURES
        for cell in (*figure_cells(row, (name,)), interval_cell(row["intervals"][name]))
    ]


def _trust_report(markers: Sequence[MaskedMarker]) -> dict[str, list[dict[str, float]]]:
    report = {}
    for language, language_markers in by_language(markers).items():
        scores = [marker.confidence for marker in language_markers if marker.confidence is not None]
        hits = [
            marker.ranks.get("default") == 1
            for marker in language_markers
            if marker.confidence is not None
        ]
        if scores:
            report[language] = calibration(scores, hits)
    return report
