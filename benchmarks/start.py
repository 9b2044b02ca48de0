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
from typing import Any

from benchmarks.latency import draft, library
from benchmarks.load import Server, _quiet
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
    await _type(server, where)
    megabytes = [server.megabytes]
    await _quiet(server)
    before = server.processor
    await asyncio.sleep(_REST)
    seconds.append(server.processor - before)
    megabytes.append(server.megabytes)
    await server.stop()
    return seconds, megabytes


async def _type(server: Server, where: dict[str, Any]) -> None:
    """Type letters at a place, and wait for a list at each."""
    line, column = where["position"]["line"], where["position"]["character"]
    for number in range(_LETTERS):
        server.type(where, _TYPED[number % len(_TYPED)], number + 2)
        where = where | {"position": {"line": line, "character": column + number + 1}}
        await server.request("textDocument/completion", where)


def main() -> None:
    """Measure, and print the table in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=300, help="entries of the library (≤ 512)")
    parser.add_argument("--runs", type=int, default=3, help="fresh processes to measure")
    parser.add_argument("--corpora", type=Path, help="folder of corpora to recommend from, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.corpora is not None:
            (folder / ".home").mkdir()
            (folder / ".home" / "corpora").symlink_to(options.corpora.resolve())
        (folder / "library.bib").write_text(library(options.entries), encoding="utf-8")
        text = draft(options.entries).replace(
            "\\begin{document}", "\\bibliography{library}\n\\begin{document}", 1
        )
        (folder / "draft.tex").write_text(text, encoding="utf-8")
        runs = [asyncio.run(_measure(folder)) for _ in range(options.runs + 1)][1:]
    figures = [f"{min(run[0][number] for run in runs):.2f}" for number in range(len(_COLUMNS))]
    memory = [f"{max(run[1][number] for run in runs):,.0f}" for number in range(2)]
    columns = [*(f"{name}, s" for name in _COLUMNS), "memory after letters, MB", "at rest, MB"]
    print(table(columns, [[*figures, *memory]]))


if __name__ == "__main__":
    main()
