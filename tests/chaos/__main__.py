"""`python -m tests.chaos [--small] [--every N] [--write] [WORDS...]`: run trials by their names."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.chaos.all import TRIALS
from tests.chaos.run import Result, run
from tests.chaos.trials import FaultTrial

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- trials -->", "<!-- end of trials -->"


HEAD = [
    "| what is tried | trials | passed | longest (s) | most memory (MB) |",
    "| --- | ---: | ---: | ---: | ---: |",
]


def rows_of(results: list[Result]) -> dict[str, str]:
    """Return the figures of the trials, a line for each kind."""
    rows = {}
    for kind in dict.fromkeys(result.trial.kind for result in results):
        here = [result for result in results if result.trial.kind == kind]
        passed = sum(not result.fault for result in here)
        seconds = max(result.seconds for result in here)
        memory = max(result.memory for result in here)
        rows[kind] = f"| {kind} | {len(here)} | {passed} | {seconds:.1f} | {memory:.0f} |"
    return rows


def write(rows: dict[str, str]) -> None:
    """Put lines into the table of the page; those of kinds that were not tried stay."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    old, _, after = rest.partition(END)
    lines = old.strip().splitlines()[len(HEAD) :]
    rows = {line.split("|")[1].strip(): line for line in lines} | rows
    table = "\n".join([*HEAD, *rows.values()])
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*", help="run the trials whose names hold them all")
    parser.add_argument("--every", type=int, default=1, help="run every so many of these alone")
    parser.add_argument("--small", action="store_true", help="the small form of each trial")
    parser.add_argument(
        "--write", action="store_true", help="put the lines into docs/reliability.md"
    )
    options = parser.parse_args()
    results = []
    named = [
        trial
        for trial in TRIALS
        if all(word in f"{trial.kind}: {trial.name}" for word in options.words)
    ]
    for trial in named[:: options.every]:
        if options.small and isinstance(trial, FaultTrial) and not trial.in_short:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            result = run(trial, Path(scratch).resolve(), 0.0 if options.small else 1.0)
        results.append(result)
        figures = f"{result.seconds:6.1f} s {result.memory:6.0f} MB"
        outcome = f"{trial.kind}: {trial.name}: {result.fault or 'passed'}"
        sys.stdout.write(f"{figures}  {outcome}\n")
        sys.stdout.flush()
    rows = rows_of(results)
    sys.stdout.write("\n".join([*HEAD, *rows.values()]) + "\n")
    if options.write:
        write(rows)
    return 1 if any(result.fault for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
