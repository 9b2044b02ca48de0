"""A second computation of the metrics, as plain as their definitions, to compare the figures with.

Where the scorer of `../shared` lies beside the checkout, the two must agree.
"""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from cite_lsp.storage.compressed_files import zstd

SCORER = Path(__file__).parents[2].parent / "shared" / "tools" / "score.py"
_CUTOFFS = (5, 10, 30, 50, 80)
_DEPTH = 100


def score(contexts: Path, run: Path, relevant: str = "cited") -> dict[str, Any]:
    """Return the metrics of a run, to four decimals, of the contexts that have a relevant paper."""
    wanted = {row["context_id"]: set(row.get(relevant) or ()) for row in _rows(contexts)}
    rankings = {row["context_id"]: row["ranking"][:_DEPTH] for row in _rows(run)}
    assert rankings.keys() <= wanted.keys()
    wanted = {name: papers for name, papers in wanted.items() if papers}
    each = [_metrics(papers, rankings.get(name, [])) for name, papers in wanted.items()]
    figures: dict[str, Any] = {
        name: round(float(sum(row[name] for row in each) / len(each)), 4) for name in each[0]
    }
    figures |= {"contexts": len(wanted), "answered": len(wanted.keys() & rankings.keys())}
    if SCORER.is_file():
        assert figures == _of_the_other(contexts, run, relevant)
    return figures


def _metrics(wanted: set[str], ranking: list[str]) -> dict[str, Fraction]:
    assert len(ranking) == len(set(ranking))
    ranks = [rank for rank, paper in enumerate(ranking, 1) if paper in wanted]
    metrics = {}
    for k in _CUTOFFS:
        hits = sum(rank <= k for rank in ranks)
        metrics[f"recall@{k}"] = Fraction(hits, len(wanted))
        metrics[f"f1@{k}"] = Fraction(2 * hits, k + len(wanted))  # of hits / k and hits / |wanted|
    for k in (*_CUTOFFS, _DEPTH):
        metrics[f"mrr@{k}"] = max(
            (Fraction(1, rank) for rank in ranks if rank <= k), default=Fraction()
        )
    for k in (10, _DEPTH):
        precisions = [Fraction(number, rank) for number, rank in enumerate(ranks, 1) if rank <= k]
        metrics[f"map@{k}"] = sum(precisions, Fraction()) / len(wanted)
    return metrics


def _rows(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = zstd.decompress(data)
    return [json.loads(line) for line in data.decode("utf-8").splitlines() if line.strip()]


def _of_the_other(contexts: Path, run: Path, relevant: str) -> dict[str, Any]:
    command = [sys.executable, str(SCORER), str(contexts), str(run), "--relevant", relevant]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures
