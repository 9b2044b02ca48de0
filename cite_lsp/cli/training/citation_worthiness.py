"""`train citation-worthiness`: which sentences need a citation, with its figures on test texts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.cli.options import add_paths
from cite_lsp.cli.output import figure_cells, table
from cite_lsp.cli.training.training import one_line_errors

if TYPE_CHECKING:
    from cite_lsp.evaluate.figures.trade_off import Panel
    from cite_lsp.recommend.missing.worthiness import WorthinessModel
    from cite_lsp.train.data.labelled_sentences import LabelledSentence
    from cite_lsp.train.missing.worthiness_card import Report

RECIPE = "citation-worthiness"
TAKES = {RECIPE: ("uncited", "test", "without")}
"""The options that it takes beside those of all recipes."""
_LANGUAGES = {"en": "English", "zh": "Chinese"}
_FIGURES = ("precision", "recall", "f1", "average precision")
_STEPS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that this recipe has beside those of all recipes."""
    group = parser.add_argument_group("citation worthiness", f"options of {RECIPE}")
    add_paths(
        group,
        "--uncited",
        help="paragraphs of books all of whose citing sentences are among --contexts",
    )
    add_paths(group, "--test", help="sentences of further documents, to measure on")


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train the model, write it with its card, and print what it is worth beside baselines."""
    from cite_lsp.train.data.labelled_sentences import read_sentences, read_uncited
    from cite_lsp.train.missing import citation_worthiness
    from cite_lsp.train.missing.worthiness_card import write_worthiness_card

    with one_line_errors(options.out) as (stages, problems):
        learn = read_sentences(options.contexts, problems.add)
        uncited = [
            one for path in options.uncited for one in read_uncited(path, learn, problems.add)
        ]
        check = read_sentences(options.dev, problems.add)
        test = read_sentences(options.test or options.dev, problems.add)
        learn = [
            one
            for one in (*learn, *uncited)
            if not any(name in one.document for name in options.without)
        ]
        config = citation_worthiness.train(
            learn, check, options.out, seed=options.seed, progress=stages.show
        )
        reports, drawing = _reports(options.out, check, test)
        write_worthiness_card(
            options.out,
            config,
            reports,
            drawing,
            data=data,
            command=command,
            tested=bool(options.test),
        )
    for report in reports:
        print(f"{report.language}: {report.sentences:,} sentences, {report.cited:,} cite")
        rows = [[name, *figure_cells(values, _FIGURES)] for name, values in report.rows.items()]
        print(table(("decided by", *_FIGURES), rows))
    return 0


def _reports(
    folder: Path, check: Sequence[LabelledSentence], test: Sequence[LabelledSentence]
) -> tuple[list[Report], str]:
    """Measure the model and two baselines on `test`, by language, and draw what they reach.

    Thresholds are chosen on the development sentences, `check`.
    """
    from cite_lsp.evaluate.figures.trade_off import draw_trade_offs
    from cite_lsp.recommend.missing.worthiness import WorthinessModel

    model = WorthinessModel(folder)
    reports, panels = [], []
    for code, language in _LANGUAGES.items():
        chosen, mine = ([one for one in part if one.language == code] for part in (check, test))
        if mine and chosen:
            report, panel = _report(language, model, chosen, mine)
            reports.append(report)
            panels.append(panel)
    return reports, draw_trade_offs(panels)


def _report(
    language: str,
    model: WorthinessModel,
    check: Sequence[LabelledSentence],
    test: Sequence[LabelledSentence],
) -> tuple[Report, Panel]:
    from cite_lsp.evaluate.figures.trade_off import Panel
    from cite_lsp.evaluate.tasks.worthiness import cue_words, curve, decide
    from cite_lsp.recommend.missing.worthiness import THRESHOLD
    from cite_lsp.train.missing.worthiness_card import Report

    truth = [one.cited for one in test]
    likely = model.probabilities([one.passage for one in test])
    cues = [float(cue_words(one.passage.sentence)) for one in test]
    precision, recall, threshold = curve(
        [one.cited for one in check], model.probabilities([one.passage for one in check])
    )
    best = threshold[(2 * precision * recall / (precision + recall + 1e-9)).argmax()]
    decisions = {
        "always": decide(truth, [1.0] * len(test), 0.5),
        "cue words": decide(truth, cues, 1.0),
        f"model, from {best:.2f} on (best F1 on dev)": decide(truth, likely, float(best)),
        f"model, from {THRESHOLD:.2f} on (half of them right)": decide(truth, likely, THRESHOLD),
    }
    rows = {
        name: {
            "precision": one.precision,
            "recall": one.recall,
            "f1": one.f1,
            "average precision": one.average_precision,
        }
        for name, one in decisions.items()
    }
    curves = {}
    for name, scores in (("model", likely), ("cue words", cues)):
        right, found, _ = curve(truth, scores)
        step = max(len(found) // _STEPS, 1)
        curves[name] = list(zip(found[::step].tolist(), right[::step].tolist(), strict=True))
    levels = {"always": decisions["always"].precision}
    return Report(language, len(test), sum(truth), rows), Panel(language, curves, levels=levels)
