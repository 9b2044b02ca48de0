"""`eval bilingual`: Chinese contexts over English papers, by systems of which BLSRec is trained."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.arguments.shared_options import add_data, add_method, add_results, add_seed
from cite_lsp.cli.printing.output import (
    Problems,
    Stages,
    figure_cells,
    interval_cell,
    print_json,
    reporting,
    table,
)
from cite_lsp.cli.printing.output_files import write_output
from cite_lsp.cli.tasks.result_files import gather, require_writable
from cite_lsp.corpus.contexts import LabelledContext, read_contexts
from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.evaluate.baselines.bilingual_systems import (
    BILINGUAL_SYSTEMS,
    BLSREC,
    open_baseline,
    open_blsrec,
)
from cite_lsp.evaluate.baselines.local_systems import open_methods
from cite_lsp.evaluate.charts import draw_by_dimension, draw_curves
from cite_lsp.evaluate.task_pool import open_pool
from cite_lsp.evaluate.tasks.bilingual import (
    CUTOFFS,
    INTERVALS,
    SPLITS,
    recall_curve,
    split_by_context,
)
from cite_lsp.evaluate.tasks.local import LocalSystem, rank_contexts, slice_figures, slice_intervals
from cite_lsp.option_types import add_paths
from cite_lsp.recommend.corpus.recommender import CorpusRecommender
from cite_lsp.recommend.published.bilingual_bags import Bags
from cite_lsp.recommend.published.blsrec import BlsRecModel
from cite_lsp.train.lexicon.reference_words import translated_references
from cite_lsp.translate.lexicon import Lexicon
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

SHOWN = (
    *("map@100", "mrr@100"),
    *("recall@1", "recall@5", "recall@10", "recall@20", "recall@50", "recall@100"),
)
_HEADINGS = ("MAP", "MRR", "R@1", "R@5", "R@10", "R@20", "R@50", "R@100")

_DIMENSIONS = ", n = "


@frozen
class _Split:
    """Contexts to train on, to stop by, and to measure on."""

    learn: Sequence[LabelledContext]
    check: Sequence[LabelledContext]
    test: Sequence[LabelledContext]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data(parser)
    parser.add_argument(
        "--system",
        choices=BILINGUAL_SYSTEMS,
        action="append",
        help="default by default; several are compared",
    )
    add_paths(
        parser,
        "--train-contexts",
        help="contexts that models have learned from, or ctm will; their papers count as seen",
    )
    add_paths(
        parser,
        "--dev",
        help="contexts that their training was stopped by",
    )
    parser.add_argument(
        "--split",
        choices=SPLITS,
        default="document",
        help="document: files as they are given (the default). context: as published, the contexts"
        " of all files are dealt out by chance, a tenth of them to measure on",
    )
    parser.add_argument(
        "--lexicon",
        type=Path,
        metavar="DIR",
        help="the lexicon that all systems but default translate with, in place of the one that"
        " ships: that one was taught by contexts, which by --split context may be those asked for",
    )
    add_paths(
        parser,
        "--model",
        help="a trained BLSRec instead of that which ships; several are compared",
        metavar="DIR",
    )
    add_seed(parser)
    add_method(parser)
    add_results(
        parser,
        figure="draw Recall@k and MRR@k here; of models of several sizes MAP and MRR by dimension",
    )


def run(options: argparse.Namespace) -> int:
    """Evaluate systems and print their figures."""
    options.system = options.system or ([] if options.method else ["default"])
    wrong = _misfit(options)
    if wrong:
        raise UsageError(wrong)
    require_writable(options)
    variants: dict[str, dict[str, Any]] = {}
    with reporting() as (stages, problems):
        split = _contexts(options, problems)
        seen = {name for row in (*split.learn, *split.check) for name in row.cited} or None
        pool = 0
        for label, system in _systems(options, split, stages, problems).items():
            pool = len(system.corpus)
            variants[label] = _measure(options, label, system, split.test, seen, stages)
    _report(options, pool, variants)
    return 0


def _measure(
    options: argparse.Namespace,
    label: str,
    system: LocalSystem,
    rows: Sequence[LabelledContext],
    seen: set[str] | None,
    stages: Stages,
) -> dict[str, Any]:
    """Return the figures of a system, with its rankings written to --run if given."""
    ranked = rank_contexts(
        rows,
        system,
        relevant="cited",
        protocol="full",
        seen=seen,
        progress=lambda count: stages.advance(f"{label}, contexts", count),
    )
    nothing = f"{options.contexts}: no context cites a paper; check the file"
    results = gather(ranked, options.run, stages, nothing)
    return {
        "figures": slice_figures(results, CUTOFFS),
        "intervals": slice_intervals(results, INTERVALS),
        "recall curve": recall_curve(results),
    }


def _misfit(options: argparse.Namespace) -> str:
    """Return what does not go together, or is missing, and what to do; "" where all is well."""
    method = options.method[:1] if options.method else []
    several = ([*options.system, *method], options.model)
    if options.run and any(len(values) > 1 for values in several):
        return "--run writes the rankings of one system; name one with --system, and one --model"
    blsrec = [name for name in options.system if name in BLSREC]
    if options.model and not blsrec:
        systems = f"{', '.join(BLSREC[:-1])} or {BLSREC[-1]}"
        return f"--model: is for BLSRec; name {systems} with --system, or leave it out"
    if blsrec and not options.model and options.split == "context":
        return (
            f"{blsrec[0]}: the model that ships knows what --split context asks for; train another"
            " with `cite-lsp train blsrec --split context`, and name it with --model"
        )
    if "ctm" in options.system and not options.train_contexts and options.split != "context":
        return "ctm learns from citations; name contexts with --train-contexts"
    return ""


def _contexts(options: argparse.Namespace, problems: Problems) -> _Split:
    test = list(read_contexts(options.contexts))
    learn = [row for path in options.train_contexts for row in read_contexts(path, problems.add)]
    check = [row for path in options.dev for row in read_contexts(path, problems.add)]
    if options.split == "context":
        learn, check, test = split_by_context([*learn, *check, *test], options.seed)
    return _Split(learn, check, list(islice(test, options.limit)))


def _systems(
    options: argparse.Namespace, split: _Split, stages: Stages, problems: Problems
) -> dict[str, LocalSystem]:
    translator = shipped_translator()
    if options.lexicon is not None:
        translator = DictionaryTranslator(Lexicon.open(options.lexicon))
    bags = Bags(translator)  # all systems share them
    corpus = open_pool(options.papers, stage=stages.show, report=problems.add)
    systems: dict[str, LocalSystem] = {}
    for name in dict.fromkeys(options.system):
        if name == "default":
            systems[name] = CorpusRecommender(
                corpus, CachedEncoder(load_encoder(), disk_size=500_000)
            )
        elif name in BLSREC:
            systems |= open_blsrec(name, corpus, bags, _models(options, name))
        else:
            references = _references(split.learn, bags, stages) if name == "ctm" else None
            systems |= open_baseline(name, corpus, bags, translator, references)
    if options.method:
        systems |= open_methods(corpus, options.method)
    return systems


def _references(
    learn: Sequence[LabelledContext], bags: Bags, stages: Stages
) -> dict[str, dict[str, float]]:
    if not learn:
        raise CommandError("ctm: too few contexts to learn from; name more with --train-contexts")
    return translated_references(
        learn, bags, lambda done, total: stages.show("references", done, total)
    )


def _models(options: argparse.Namespace, name: str) -> dict[str, Path]:
    """Return the named models of a system by label; all where none is, which is an error."""
    opened = [(path, BlsRecModel.open(path)) for path in options.model]
    own = [each for each in opened if name == f"blsrec-{each[1].variant}"] or opened
    if len(own) == 1:
        return {name: own[0][0]}
    if len({model.dimensions for _, model in own}) == len(own):
        return {f"{name}{_DIMENSIONS}{model.dimensions}": path for path, model in own}
    folders = [path.name for path, _ in own]
    return {
        f"{name}, {path.name if folders.count(path.name) == 1 else path}": path for path, _ in own
    }


def _report(
    options: argparse.Namespace, papers: int, variants: Mapping[str, Mapping[str, Any]]
) -> None:
    if options.figure:
        _draw(options, variants)
    if options.json:
        print_json(
            {
                "task": "bilingual",
                "system": list(variants)[-1] if options.method else options.system[-1],
                "split": options.split,
                "seed": options.seed,
                "papers": papers,
                **variants[list(variants)[-1]],
                "variants": variants,
            }
        )
        return
    print(f"split by {options.split}, {papers:,} papers")
    for part in next(iter(variants.values()))["figures"]:
        body = [
            [
                name,
                str(report["figures"][part]["contexts"]),
                *figure_cells(report["figures"][part], SHOWN),
                interval_cell(report["intervals"][part]["map@100"]),
            ]
            for name, report in variants.items()
        ]
        print(table((part, "n", *_HEADINGS, "MAP, 95 %"), body))


def _draw(options: argparse.Namespace, variants: Mapping[str, Mapping[str, Any]]) -> None:
    title = f"split by {options.split}"
    parts = {label: label.partition(_DIMENSIONS) for label in variants}
    sizes = {int(size) for _, _, size in parts.values() if size}
    if sizes:
        lines: dict[str, dict[int, Mapping[str, float]]] = {}
        for label, (name, _, size) in parts.items():
            figures = variants[label]["figures"]["all"]
            each = dict.fromkeys([int(size)] if size else sizes, figures)
            lines.setdefault(name, {}).update(each)
        drawing = draw_by_dimension(lines, title)
    else:
        curves = {name: report["figures"]["all"] for name, report in variants.items()}
        drawing = draw_curves(curves, title, CUTOFFS)
    write_output(options.figure, drawing)
