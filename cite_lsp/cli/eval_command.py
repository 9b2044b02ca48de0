"""Measure the recommendations: on labelled contexts, or by masking the citations of real drafts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_lsp.cli import CommandError, missing_task
from cite_lsp.cli.output import Problems, Stages, figure_cells, positive, print_json, table

if TYPE_CHECKING:
    from cite_lsp.evaluate.local import RankedContext
    from cite_lsp.evaluate.manuscripts import MaskedMarker
    from cite_lsp.recommend.recommender import System

LOCAL_SYSTEMS = ("bm25", "minilm", "phase1", "tanaka", "default")
RECALLS = ("recall@5", "recall@10", "recall@30", "recall@50", "recall@80")
LOCAL_FIGURES = ("mrr@10", *RECALLS, "map@100")
DRAFT_FIGURES = ("hit@1", "hit@5", "mrr")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    local = tasks.add_parser("local", help="a context, a pool of papers: which does it cite")
    local.add_argument("--papers", type=Path, required=True, metavar="FILE")
    local.add_argument("--contexts", type=Path, required=True, metavar="FILE")
    local.add_argument("--system", choices=LOCAL_SYSTEMS, default="default")
    local.add_argument("--protocol", choices=("section", "cold", "full"), default="section")
    local.add_argument(
        "--relevant",
        choices=("cited_abs", "cited"),
        default="cited_abs",
        help="papers with an abstract only (the default), or all papers",
    )
    local.add_argument(
        "--train-contexts",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="contexts whose papers count as seen; without them the unseen slice is left out",
    )
    local.add_argument(
        "--run", type=Path, metavar="OUT", help="write the rankings here, JSON Lines"
    )
    local.add_argument("--limit", type=positive, metavar="N", help="only the first N contexts")
    local.add_argument("--json", action="store_true", help="print one JSON document")
    drafts = tasks.add_parser("manuscripts", help="mask each citation of real drafts in turn")
    drafts.add_argument("folder", type=Path, metavar="DIR", help="one draft a subfolder")
    drafts.add_argument(
        "--forward", action="store_true", help="as while writing: nothing below the marker exists"
    )
    drafts.add_argument("--json", action="store_true", help="print one JSON document")
    missing_task.add_arguments(
        tasks.add_parser("missing", help="take the citations out of sections of real drafts")
    )


def run(options: argparse.Namespace) -> int:
    """Evaluate and print a table."""
    if options.task == "missing":
        return missing_task.run(options)
    return _run_local(options) if options.task == "local" else _run_manuscripts(options)


def _run_local(options: argparse.Namespace) -> int:
    from cite_lsp.corpus.contexts import read_contexts
    from cite_lsp.corpus.records import RecordError
    from cite_lsp.encode import EncoderError, load_encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.evaluate.local import rank_contexts, slice_figures
    from cite_lsp.evaluate.pool import open_pool
    from cite_lsp.recommend.corpus_recommender import CorpusRecommender
    from cite_lsp.search.vectors import SearchIndexError

    stages, problems = Stages(), Problems()
    try:
        rows = list(islice(read_contexts(options.contexts), options.limit))
        seen = {
            name
            for path in options.train_contexts
            for row in read_contexts(path)
            for name in row.cited
        }
        corpus = open_pool(options.papers, stage=stages.show, report=problems.add)
        encoder = None if options.system == "bm25" else CachedEncoder(load_encoder(), kept=500_000)
    except (RecordError, EncoderError, SearchIndexError) as error:
        raise CommandError(str(error)) from error
    finally:
        stages.close()
        problems.close()
    recommender = CorpusRecommender(corpus, encoder, system=options.system)
    ranked = rank_contexts(
        rows,
        recommender,
        relevant=options.relevant,
        protocol=options.protocol,
        seen=seen if options.train_contexts else None,
        progress=lambda count: stages.advance("contexts", count, len(rows)),
    )
    results = list(_write_run(options.run, ranked) if options.run else ranked)
    stages.close()
    if not results:
        wanted = f"no context has a relevant paper ({options.relevant})"
        raise CommandError(f"{options.contexts}: {wanted}; check the file or --relevant")
    figures = slice_figures(results)
    if options.json:
        print_json(
            {
                "task": "local",
                "system": options.system,
                "protocol": options.protocol,
                "relevant": options.relevant,
                "papers": len(corpus),
                "figures": figures,
            }
        )
        return 0
    print(f"{options.system}, protocol {options.protocol}, {len(corpus):,} papers")
    body = [
        [name, str(part["contexts"]), *figure_cells(part, LOCAL_FIGURES)]
        for name, part in figures.items()
    ]
    print(table(("contexts", "n", *LOCAL_FIGURES), body))
    return 0


def _run_manuscripts(options: argparse.Namespace) -> int:
    from cite_lsp.evaluate.manuscripts import evaluate_folder
    from cite_lsp.library import DiskReader
    from cite_lsp.recommend.draft import DraftRecommender
    from cite_lsp.recommend.ranker import RankerError
    from cite_lsp.recommend.recommender import SYSTEMS

    stages = Stages()
    try:
        markers = evaluate_folder(
            options.folder,
            DraftRecommender(read=DiskReader()),
            forward=options.forward,
            progress=lambda name, count: stages.advance("markers", count),
        )
    except (NotADirectoryError, RankerError) as error:
        raise CommandError(str(error)) from error
    finally:
        stages.close()
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


def _write_run(path: Path, results: Iterable[RankedContext]) -> Iterator[RankedContext]:
    """Write the rankings as they come, and pass them on."""
    try:
        with path.open("w", encoding="utf-8") as file:
            for result in results:
                row = {"context_id": result.context_id, "ranking": result.ranking}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                yield result
    except OSError as error:
        reason = error.strerror or error
        raise CommandError(f"{path}: cannot be written ({reason}); choose another file") from error
