"""`train missing-citations`: how the two models behind a missing citation are weighed."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from cite_lsp.cli.options import add_paths
from cite_lsp.cli.output import Problems, Stages, figure_cells, table
from cite_lsp.cli.training.training import contexts_in, one_line_errors, papers_in

if TYPE_CHECKING:
    from cite_lsp.evaluate.tasks.missing import Emptied
    from cite_lsp.train.missing.missing_card import MissingReport
    from cite_lsp.train.missing.missing_citations import AskedSentence

RECIPE = "missing-citations"
TAKES = {RECIPE: ("papers", "sentences", "without")}
"""The options that it takes beside those of all recipes."""
LOWEST = 0.06
"""Worthiness from which on sentences are learned from: somewhat below what is ever looked at."""
_LANGUAGES = {"en": "English", "zh": "Chinese"}
_FIGURES = ("offers", "precision", "recall", "average precision")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that this recipe has beside those of all recipes."""
    group = parser.add_argument_group("missing citations", f"options of {RECIPE}")
    add_paths(
        group,
        "--sentences",
        help="all sentences of the documents of --contexts, where they are known",
    )


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Fit the weights, write them with their card, and print what they are worth."""
    from cite_lsp.recommend.base.ranker import RankerError
    from cite_lsp.recommend.missing.worthiness import WorthinessError
    from cite_lsp.train.missing import missing_citations
    from cite_lsp.train.missing.missing_card import write_missing_card

    with one_line_errors(options.out, RankerError, WorthinessError) as (stages, problems):
        rows = _emptied(options, stages, problems)
        reports, drawing = _reports(rows)
        asked = [_asked(row) for row in rows if row.offered]
        config = missing_citations.write(
            options.out, missing_citations.fit(asked), asked, options.seed
        )
        write_missing_card(options.out, config, reports, drawing, data=data, command=command)
    for report in reports:
        print(f"{report.language}: {report.removed:,} citations removed")
        cells = [
            [name, f"{values['offers']:,}", *figure_cells(values, _FIGURES[1:])]
            for name, values in report.rows.items()
        ]
        print(table(("decided by", *_FIGURES), cells))
    return 0


def _reports(rows: Sequence[Emptied]) -> tuple[list[MissingReport], str]:
    """Measure weights fitted to other drafts beside the plain product, and draw both.

    Raises:
        TrainingError: there are too few drafts.
    """
    from cite_lsp.evaluate.figures.trade_off import Panel, draw_trade_offs
    from cite_lsp.evaluate.tasks.missing import figures, trade_off
    from cite_lsp.evaluate.tasks.worthiness import average_precision
    from cite_lsp.recommend.missing.confidence import product_of
    from cite_lsp.recommend.missing.gaps import LEVELS, Level
    from cite_lsp.train.missing.missing_card import MissingReport
    from cite_lsp.train.missing.missing_citations import out_of_draft

    offered = [row for row in rows if row.offered]
    likely = out_of_draft([_asked(row) for row in offered])
    silent = [row for row in rows if not row.offered]
    weighed = [_ordered(row, sure) for row, sure in zip(offered, likely, strict=True)]
    plain = [_ordered(row, tuple(map(product_of, row.signs))) for row in offered]
    reports, panels = [], []
    for code, language in _LANGUAGES.items():
        mine, product, rest = (
            [row for row in part if row.language == code] for part in (weighed, plain, silent)
        )
        if not mine:
            continue
        by_level: dict[str, dict[str, float]] = {}
        precise, simple = (
            average_precision(
                [row.offered[0] in row.cited for row in part], [row.confidence for row in part]
            )
            for part in (mine, product)
        )
        for name, level in LEVELS.items():
            found = figures([*mine, *rest], level)
            by_level[name] = _shown(found, precise)
            count = int(found["offers"])
            least = sorted((row.confidence for row in product), reverse=True)[:count][-1:]
            same = Level(0.0, least[0] if least else 1.0)
            by_level[f"product, as many as {name}"] = _shown(
                figures([*product, *rest], same), simple
            )
        removed = sum(len(row.cited) for row in (*mine, *rest))
        reports.append(MissingReport(language, removed, by_level))
        curves = {"weighed": trade_off([*mine, *rest]), "product": trade_off([*product, *rest])}
        points = {name: (by_level[name]["recall"], by_level[name]["precision"]) for name in LEVELS}
        panels.append(Panel(language, curves, points))
    return reports, draw_trade_offs(panels)


def _shown(found: Mapping[str, float], precise: float) -> dict[str, float]:
    return {
        "offers": int(found["offers"]),
        "precision": found["precision"],
        "recall": found["recall@1"],
        "average precision": precise,
    }


def _emptied(options: argparse.Namespace, stages: Stages, problems: Problems) -> list[Emptied]:
    """Lay the documents out as drafts, empty their sections, and ask what is missing there."""
    from cite_lsp.encode import load_encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.evaluate.tasks.missing import evaluate_folder
    from cite_lsp.library import DiskReader
    from cite_lsp.recommend.missing.confidence import product_of
    from cite_lsp.train.data.rebuilt_drafts import lay_out, read_plain_sentences

    sentences = read_plain_sentences(options.sentences, problems.add)
    everything = contexts_in(options.contexts, problems)
    # Of Chinese documents the windows around their markers are all there is.
    known = {row.citing_id for row in everything if row.context.language == "zh"} | {*sentences}
    contexts = [
        row
        for row in everything
        if row.citing_id in known and not any(name in row.citing_id for name in options.without)
    ]
    wanted = {name for row in contexts for name in row.cited}
    papers = papers_in(options.papers, problems, wanted)
    encoder = CachedEncoder(load_encoder(threads=os.cpu_count() or 1))
    with tempfile.TemporaryDirectory() as folder:
        lay_out(contexts, sentences, papers, encoder, Path(folder), seed=options.seed)
        return evaluate_folder(
            Path(folder),
            DiskReader(),
            lowest=LOWEST,
            sureness=product_of,
            progress=lambda name, count: stages.advance("sentences of drafts", count),
        )


def _asked(row: Emptied) -> AskedSentence:
    from cite_lsp.train.missing.missing_citations import AskedSentence

    right = tuple(key in row.cited for key in row.offered)
    return AskedSentence(row.draft, row.language, row.signs, right, bool(row.cited))


def _ordered(row: Emptied, sure: Sequence[float]) -> Emptied:
    """Return what would have been offered were the papers so sure."""
    order = sorted(range(len(sure)), key=lambda place: -sure[place])
    return evolve(
        row,
        offered=tuple(row.offered[place] for place in order),
        signs=tuple(row.signs[place] for place in order),
        confidence=sure[order[0]],
    )
