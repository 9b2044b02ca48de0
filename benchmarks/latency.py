"""How long a writer waits for the server: a real process, a library of 300 entries, a draft.

    python -m benchmarks.latency [--entries N] [--runs N] [--json]

Measured are the answer to `initialize` of a fresh process, the first completion ranked by meaning
in a fresh process whose library was embedded before, and completions while ten keys are typed. The
library is made of templates, so every run of every machine measures the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.client import Client, Unanswered, after, end_of, proposed
from benchmarks.generated import draft, write_library

TARGETS = {"initialize": 1.0, "first_semantic": 2.5, "warm_median": 0.040}
"""Seconds; what the product promises on a laptop."""

NAMES = {
    "initialize": "fresh process to answered initialize",
    "first_semantic": "fresh process to first completion by meaning",
    "warm_median": "completion while typing, median",
    "warm_p95": "completion while typing, 95th percentile",
}

TYPED = "retrieval "


async def measure(folder: Path, runs: int) -> dict[str, float]:
    """Return the seconds of everything measured; of several runs the median."""
    path, home = folder / "draft.tex", folder / "home"
    end = end_of(path.read_text(encoding="utf-8"))
    first = Client(folder, home)
    await first.start()
    first.open(path)
    await first.ready()  # embeds the library, which is then kept on disk
    await first.stop()
    initialized, semantic, warm = [], [], []
    for _ in range(runs):
        client, begun = Client(folder, home), time.perf_counter()
        initialized.append(await client.start())
        client.open(path)
        await client.ready()
        if not proposed(await client.at("completion", path, end)):
            raise Unanswered("proposes nothing: the draft or the library is broken")
        semantic.append(time.perf_counter() - begun)
        for number, letter in enumerate(TYPED):
            started = time.perf_counter()
            client.change(path, after(end, number), letter)
            await client.at("completion", path, after(end, number + 1))
            warm.append(time.perf_counter() - started)
        await client.stop()
    return {
        "initialize": statistics.median(initialized),
        "first_semantic": statistics.median(semantic),
        "warm_median": statistics.median(warm),
        "warm_p95": statistics.quantiles(warm, n=20)[-1],
    }


def table(seconds: dict[str, float]) -> str:
    """Return the figures beside their targets."""
    rows = [f"{'':46}{'measured':>10}{'target':>10}"]
    for name, value in seconds.items():
        target = f"{TARGETS[name] * 1000:7.0f} ms" if name in TARGETS else ""
        rows.append(f"{NAMES[name]:46}{value * 1000:7.0f} ms{target:>10}")
    return "\n".join(rows)


def main() -> int:
    """Measure and print; the status is 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=300, help="entries of the library")
    parser.add_argument("--runs", type=int, default=3, help="fresh processes to measure")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_library(folder, options.entries)
        (folder / "draft.tex").write_text(draft(options.entries), encoding="utf-8")
        seconds = asyncio.run(measure(folder, options.runs))
    missed = [name for name, target in TARGETS.items() if seconds[name] > target]
    if options.json:
        print(json.dumps({"seconds": seconds, "targets": TARGETS, "missed": missed}, indent=2))
    else:
        print(table(seconds))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
