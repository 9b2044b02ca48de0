"""`eval local`: systems over a pool of papers, their figures as tables, JSON and a drawing."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from cite_lsp.cli import UsageError
from cite_lsp.cli.arguments.shared_options import add_data, add_method, add_results
from cite_lsp.cli.printing.output import (
    Problems,
    Stages,
    figure_cells,
    interval_cell,
    print_json,
    reporting,
    table,
    warn,
)
from cite_lsp.cli.printing.output_files import write_output
from cite_lsp.cli.tasks.result_files import gather, require_writable
from cite_lsp.corpus.contexts import LabelledContext, read_contexts
from cite_lsp.corpus.edges import read_edges
from cite_lsp.corpus.formats.json_lines import ignored
from cite_lsp.corpus.formats.papers import read_papers
from cite_lsp.evaluate.baselines.local_systems import (
    LOCAL_SYSTEMS,
    Checkpoints,
    misfit,
    open_methods,
    open_system,
)
from cite_lsp.evaluate.charts import draw_curves
from cite_lsp.evaluate.metrics import CUTOFFS
from cite_lsp.evaluate.task_pool import choose_pool, open_pool
from cite_lsp.evaluate.tasks.local import (
    FIGURES,
    PROTOCOLS,
    LocalSystem,
    citing_sections,
    positive_figures,
    rank_contexts,
    slice_figures,
    slice_intervals,
)
from cite_lsp.evaluate.tasks.phases import DEPTHS
from cite_lsp.option_types import add_paths, positive
from cite_lsp.search.corpus.corpus_index import CorpusIndex


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data(parser)
    parser.add_argument("--system", choices=LOCAL_SYSTEMS, default="default")
    parser.add_argument(
        "--protocol",
        choices=PROTOCOLS,
        default="section",
        help="which papers of the section are known: those cited earlier in it (the default), none"
        " (cold), all others (full), all others, and none of them is a candidate (masked), or as"
        " published, one marker a related-work section",
    )
    parser.add_argument(
        "--relevant",
        choices=("cited_abs", "cited"),
        default="cited_abs",
        help="papers with an abstract only (the default), or all papers",
    )
    add_paths(
        parser,
        "--train-contexts",
        help="contexts whose papers count as seen; without them the unseen slice is left out",
    )
    add_paths(
        parser,
        "--edges",
        help="citations (citing<TAB>cited) of training documents, whose papers count as seen too",
    )
    parser.add_argument(
        "--encoder",
        action="append",
        default=[],
        metavar="NAME",
        help="checkpoint of phase 1 (static, tanaka-phase1, tanaka) or mp-bert4cr: a name or a"
        " folder; several are compared",
    )
    parser.add_argument(
        "--reranker",
        metavar="NAME",
        help="checkpoint of phase 2 (tanaka): a name or a folder, or co-citation for the citations"
        " that an encoder would learn from",
    )
    parser.add_argument(
        "--pool-encoder",
        default="default",
        metavar="NAME",
        help="what embeds the pool, as `index --encoder` does (the default encoder)",
    )
    parser.add_argument(
        "--pool",
        type=positive,
        metavar="N",
        help="rank only N of the papers: those that the contexts cite, and others with an abstract,"
        " by chance; without it all are ranked",
    )
    add_paths(
        parser,
        "--among",
        help="contexts whose papers are in a --pool too, as those of --contexts and"
        " --train-contexts are: so that several files are asked against the same one",
    )
    parser.add_argument(
        "--by-positives",
        action="store_true",
        help="figures of contexts that cite one paper and of those that cite several, too; with"
        " --train-contexts also of those whose papers are rarely cited together there",
    )
    add_method(parser)
    add_results(parser, figure="draw Recall@k and MRR@k here")


def run(options: argparse.Namespace) -> int:
    """Evaluate a system and print its figures."""
    checkpoints = Checkpoints(options.encoder, options.reranker)
    wrong = misfit(options.system, checkpoints)
    if wrong:
        raise UsageError(wrong)
    if options.method:
        if options.system != "default":
            raise UsageError("--method: is what the server ranks by; leave out --system")
        options.system = " or ".join(options.method)
    if options.among and options.pool is None:
        raise UsageError("--among: without --pool all papers are in the pool; leave it out")
    require_writable(options)
    with reporting() as (stages, problems):
        rows = list(islice(read_contexts(options.contexts), options.limit))
        seen = _seen(options)
        among = None if options.pool is None else _pool(options, problems)
        corpus = open_pool(
            options.papers,
            options.pool_encoder,
            among=among,
            stage=stages.show,
            report=problems.add if among is None else ignored,  # else they are reported
        )
        systems = _systems(options, checkpoints, corpus, stages)
        variants = {
            name: _measure(options, name, system, rows, seen, stages)
            for name, system in systems.items()
        }
    _report(options, len(corpus), variants)
    return 0


def _systems(
    options: argparse.Namespace, checkpoints: Checkpoints, corpus: CorpusIndex, stages: Stages
) -> dict[str, LocalSystem]:
    if options.method:
        return open_methods(corpus, options.method)
    return open_system(
        options.system,
        corpus,
        checkpoints=checkpoints,
        depths=DEPTHS if options.protocol in ("masked", "related-work") else DEPTHS[-1:],
        stage=stages.show,
        note=warn,
    )


def _measure(
    options: argparse.Namespace,
    name: str,
    system: LocalSystem,
    rows: Sequence[LabelledContext],
    seen: set[str] | None,
    stages: Stages,
) -> dict[str, Any]:
    """Return the figures of a variant; those with the system's name are written."""
    ranked = rank_contexts(
        rows,
        system,
        relevant=options.relevant,
        protocol=options.protocol,
        seen=seen,
        progress=lambda count: stages.advance(f"{name}, contexts", count),
    )
    problem = f"no context has a relevant paper ({options.relevant})"
    nothing = f"{options.contexts}: {problem}; check the file or --relevant"
    results = gather(ranked, options.run if name == options.system else None, stages, nothing)
    report = {"figures": slice_figures(results), "intervals": slice_intervals(results)}
    if options.by_positives:
        taught = (row for path in options.train_contexts for row in read_contexts(path))
        sections = citing_sections(taught) if options.train_contexts else None
        report["positives"] = positive_figures(results, sections)
    return report


def _pool(options: argparse.Namespace, problems: Problems) -> set[str]:
    files = {options.contexts, *options.train_contexts, *options.among}
    rows = (row for path in sorted(files) for row in read_contexts(path))
    return choose_pool(read_papers(options.papers, problems.add), rows, options.pool)


def _seen(options: argparse.Namespace) -> set[str] | None:
    if not options.train_contexts and not options.edges:
        return None
    seen = {
        name for path in options.train_contexts for row in read_contexts(path) for name in row.cited
    }
    return seen.union(edge.cited for path in options.edges for edge in read_edges(path))


def _report(
    options: argparse.Namespace, papers: int, variants: Mapping[str, Mapping[str, Any]]
) -> None:
    if options.figure:
        _draw(options, variants)
    if options.json:
        variant = variants[options.system]
        print_json(
            {
                "task": "local",
                "system": options.system,
                "protocol": options.protocol,
                "relevant": options.relevant,
                "papers": papers,
                "encoders": options.encoder,
                "reranker": options.reranker,
                **variant,
                "variants": variants,
            }
        )
        return
    print(f"{options.system}, protocol {options.protocol}, {papers:,} papers")
    for metric, title in (("mrr", "MRR"), ("recall", "Recall")):
        body = [
            [
                f"{part}{'' if len(variants) == 1 else f', {name}'}",
                str(figures["contexts"]),
                *figure_cells(figures, [f"{metric}@{k}" for k in CUTOFFS]),
                interval_cell(report["intervals"][part][at_ten]),
            ]
            for part in variants[options.system]["figures"]
            for name, report in variants.items()
            for figures, at_ten in [(report["figures"][part], f"{metric}@10")]
        ]
        print(
            table(("contexts", "n", *(f"{title}@{k}" for k in CUTOFFS), f"{title}@10, 95 %"), body)
        )
    if options.by_positives:
        body = [
            [
                f"{part}{'' if len(variants) == 1 else f', {name}'}",
                str(figures["contexts"]),
                *figure_cells(figures, FIGURES),
            ]
            for part in variants[options.system]["positives"]
            for name, report in variants.items()
            for figures in [report["positives"][part]]
        ]
        print(table(("papers cited", "n", "Recall@10", "MAP@10"), body))


def _draw(options: argparse.Namespace, variants: Mapping[str, Mapping[str, Any]]) -> None:
    if len(variants) > 1:
        curves = {name: report["figures"]["all"] for name, report in variants.items()}
    else:  # there is room for its slices
        curves = variants[options.system]["figures"]
    title = f"{options.system}, protocol {options.protocol}"
    write_output(options.figure, draw_curves(curves, title))
