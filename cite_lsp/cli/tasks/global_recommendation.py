"""`eval global`: the references of whole papers; systems, figures as a table and as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from cite_lsp.cli import UsageError
from cite_lsp.cli.arguments.shared_options import add_data, add_results
from cite_lsp.cli.printing.output import (
    Stages,
    figure_cells,
    interval_cell,
    print_json,
    reporting,
    table,
    warn,
)
from cite_lsp.cli.tasks.result_files import gather, require_writable
from cite_lsp.corpus.reference_lists import ReferenceList, read_reference_lists
from cite_lsp.evaluate.baselines.global_systems import (
    GLOBAL_SYSTEMS,
    KnownOfPapers,
    misfit,
    open_reference_system,
)
from cite_lsp.evaluate.task_pool import open_pool
from cite_lsp.evaluate.tasks.global_recommendation import (
    askable,
    authors_by_title,
    reference_figures,
    reference_intervals,
)
from cite_lsp.evaluate.tasks.local import LocalSystem, rank_contexts
from cite_lsp.option_types import add_paths

_SHOWN = (
    *("map@100", "mrr@100", "recall@10", "recall@50", "recall@100"),
    *("precision@10", "f1@20", "f1@50"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data(parser, "lists of references, JSON Lines with `citing_id`, `year`, `refs`")
    parser.add_argument("--system", choices=GLOBAL_SYSTEMS, default="default")
    parser.add_argument("--encoder", metavar="NAME", help="checkpoint of kieu: a name or a folder")
    add_paths(
        parser,
        "--among",
        help="only papers that these lists of references name, and those of --contexts, are"
        " candidates (as published); without it all papers are",
    )
    add_paths(
        parser,
        "--citations",
        help="lists of references that default knows, as a graph; those of --contexts are left out",
    )
    add_results(parser, "lists")


def run(options: argparse.Namespace) -> int:
    """Evaluate a system and print its figures."""
    wrong = misfit(options.system, options.encoder)
    if wrong:
        raise UsageError(wrong)
    if options.citations and options.system != "default":
        raise UsageError(f"system {options.system} takes no --citations; default does")
    require_writable(options)
    with reporting() as (stages, problems):
        lists = list(read_reference_lists(options.contexts))
        among = _among(options, _papers_of(lists))
        corpus = open_pool(options.papers, among=among, stage=stages.show, report=problems.add)
        rows = askable(list(islice(lists, options.limit)), corpus, problems.add)
        measured = {item.citing_id for item in lists}
        citations = [
            item
            for path in options.citations
            for item in read_reference_lists(path)
            if item.citing_id not in measured
        ]
        systems = open_reference_system(
            options.system,
            corpus,
            encoder=options.encoder,
            background=KnownOfPapers(citations, authors_by_title(rows, corpus)),
            stage=stages.show,
            note=warn,
        )
        variants = {
            name: _measure(options, name, system, rows, stages) for name, system in systems.items()
        }
    _report(options, len(corpus), variants)
    return 0


def _among(options: argparse.Namespace, paper_ids: set[str]) -> set[str] | None:
    if not options.among:
        return None
    return paper_ids.union(*(_papers_of(read_reference_lists(path)) for path in options.among))


def _papers_of(lists: Iterable[ReferenceList]) -> set[str]:
    """Return the papers that lists name: those that cite, and those cited."""
    return {name for references in lists for name in (references.citing_id, *references.cited)}


def _measure(
    options: argparse.Namespace, name: str, system: LocalSystem, rows: list[Any], stages: Stages
) -> dict[str, Any]:
    ranked = rank_contexts(
        rows,
        system,
        relevant="cited",
        protocol="cold",
        progress=lambda count: stages.advance(f"{name}, lists", count),
    )
    nothing = f"{options.contexts}: no list names a paper; check the file"
    results = gather(ranked, options.run if name == options.system else None, stages, nothing)
    return {"figures": reference_figures(results), "intervals": reference_intervals(results)}


def _report(
    options: argparse.Namespace, papers: int, variants: Mapping[str, Mapping[str, Any]]
) -> None:
    if options.json:
        print_json(
            {
                "task": "global",
                "system": options.system,
                "papers": papers,
                "encoder": options.encoder,
                **variants[options.system],
                "variants": variants,
            }
        )
        return
    lists = variants[options.system]["figures"]["lists"]
    print(f"{options.system}, {lists:,} lists of references, {papers:,} papers")
    body = []
    for name, report in variants.items():
        interval = interval_cell(report["intervals"]["map@100"])
        body.append([name, *figure_cells(report["figures"], _SHOWN), interval])
    print(table(("system", *map(_title, _SHOWN), "MAP@100, 95 %"), body))


def _title(name: str) -> str:
    metric, _, depth = name.partition("@")
    named = {"map": "MAP", "mrr": "MRR", "f1": "F1", "precision": "P", "recall": "Recall"}
    return f"{named[metric]}@{depth}"
