"""What a server takes to start: its processor time until the first answers, its memory, at rest.

    python -m benchmarks.start [--entries N] [--runs N] [--corpora DIR]

Unlike the seconds of `benchmarks.latency`, processor time is nearly the same on a busy machine. The
library and the draft are those of that benchmark; the library is embedded before. Of several runs
the least counts, of memory the most.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from benchmarks.client import Client, after, end_of
from benchmarks.generated import draft, write_library
from cite_lsp.cli.printing.output import table

_REST = 20.0
"""Seconds in which the server has nothing to do."""
_TYPED = "retrieval of dense vectors and words "
"""What is typed into the citation, over and over, until its memory is looked at."""
_LETTERS = 100
_COLUMNS = ("initialize", "first list by key", "first list by meaning", "at rest, in 20 s")


async def _measure(folder: Path) -> tuple[list[float], list[float]]:
    """Return the seconds of processor time of a fresh server, and its megabytes.

    Those are of the moment after the last letter, and at rest.
    """
    path = folder / "draft.tex"
    text = path.read_text(encoding="utf-8") + "key1"
    end = end_of(text)
    client = Client(folder, folder / ".home")
    await client.start()
    seconds = [client.processor]
    client.open(path, text)
    await client.at("completion", path, end)
    seconds.append(client.processor)
    await client.ready()
    await client.at("completion", path, end)
    seconds.append(client.processor)
    for number in range(_LETTERS):
        client.change(path, after(end, number), _TYPED[number % len(_TYPED)])
        await client.at("completion", path, after(end, number + 1))
    megabytes = [client.megabytes]
    await client.quiet()
    before = client.processor
    await asyncio.sleep(_REST)
    seconds.append(client.processor - before)
    megabytes.append(client.megabytes)
    await client.stop()
    return seconds, megabytes


def main() -> None:
    """Measure, and print the table in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=300, help="entries of the library")
    parser.add_argument("--runs", type=int, default=3, help="fresh processes to measure")
    parser.add_argument("--corpora", type=Path, help="folder of corpora to recommend from, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.corpora is not None:
            (folder / ".home").mkdir()
            (folder / ".home" / "corpora").symlink_to(options.corpora.resolve())
        write_library(folder, options.entries)
        (folder / "draft.tex").write_text(draft(options.entries), encoding="utf-8")
        runs = [asyncio.run(_measure(folder)) for _ in range(options.runs + 1)][1:]
    figures = [f"{min(run[0][number] for run in runs):.2f}" for number in range(len(_COLUMNS))]
    memory = [f"{max(run[1][number] for run in runs):,.0f}" for number in range(2)]
    columns = [*(f"{name}, s" for name in _COLUMNS), "memory after letters, MB", "at rest, MB"]
    print(table(columns, [[*figures, *memory]]))


if __name__ == "__main__":
    main()
