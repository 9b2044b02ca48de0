"""What a server takes to start: its processor time until the first answers, its memory, at rest.

    python -m benchmarks.start [--entries N] [--runs N]

Unlike the seconds of `benchmarks.latency`, processor time is nearly the same on a busy machine. The
library and the draft are those of that benchmark; the library is embedded before. Of several runs
the least counts.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from benchmarks.latency import draft, library
from benchmarks.load import Server, _quiet
from cite_lsp.cli.printing.output import table

_REST = 20.0
"""Seconds in which the server has nothing to do."""
_COLUMNS = ("initialize", "first list by key", "first list by meaning", "at rest, in 20 s")


async def _measure(folder: Path) -> tuple[list[float], float]:
    """Return the seconds of processor time of a fresh server, and its megabytes at the end."""
    path = folder / "draft.tex"
    text = path.read_text(encoding="utf-8") + "key1"
    path.with_name("typed.tex").write_text(text, encoding="utf-8")
    path = path.with_name("typed.tex")
    document = {"uri": path.as_uri()}
    place = {"line": text.count("\n"), "character": len(text) - text.rfind("\n") - 1}
    where = {"textDocument": document, "position": place}
    server = await Server.start(folder)
    seconds = [server.processor]
    server.open(path)
    await server.request("textDocument/completion", where)
    seconds.append(server.processor)
    await asyncio.wait_for(server.ready.wait(), 600)
    await server.request("textDocument/completion", where)
    seconds.append(server.processor)
    await _quiet(server)
    before = server.processor
    await asyncio.sleep(_REST)
    seconds.append(server.processor - before)
    megabytes = server.megabytes
    await server.stop()
    return seconds, megabytes


def main() -> None:
    """Measure, and print the table in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=300, help="entries of the library (≤ 512)")
    parser.add_argument("--runs", type=int, default=3, help="fresh processes to measure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "library.bib").write_text(library(options.entries), encoding="utf-8")
        text = draft(options.entries).replace(
            "\\begin{document}", "\\bibliography{library}\n\\begin{document}", 1
        )
        (folder / "draft.tex").write_text(text, encoding="utf-8")
        runs = [asyncio.run(_measure(folder)) for _ in range(options.runs + 1)][1:]
    figures = [f"{min(run[0][number] for run in runs):.2f}" for number in range(len(_COLUMNS))]
    memory = f"{max(megabytes for _, megabytes in runs):,.0f}"
    print(table([*(f"{name}, s" for name in _COLUMNS), "memory, MB"], [[*figures, memory]]))


if __name__ == "__main__":
    main()
