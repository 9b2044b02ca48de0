"""What a writer waits for, beside other servers and beside what no server can do without.

    python -m benchmarks [--entries N] [--runs N] [--figure FILE]

One table in Markdown, and a drawing of it, of one run on one machine: the figures of
`benchmarks.latency` and `benchmarks.peers`, and for each a limit that is measured here, too: a
Python that does nothing, the bytes of the library read from memory, the multiplications of the
encoder at the rate of a product of matrices, a message through a pipe.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks import latency, peers
from benchmarks.generated import draft, library, write_library
from benchmarks.peer_servers import OURS, SERVERS
from benchmarks.waits_figure import Wait, draw_waits
from cite_lsp.cli.printing.output import table

_LAYERS, _WIDTH, _TOKENS = 6, 384, 64
"""Of the bundled encoder, and the tokens of a sentence with the title of its draft."""
_LIMITS = {
    "initialize": "a Python that does nothing",
    "first_start": "the same, and the library read",
    "next_start": "the same",
    "first_semantic": "the same, and one text encoded",
    "warm_median": "a message through a pipe and back",
    "warm_p95": "the same",
}


def _least(work: Callable[[], object], runs: int) -> float:
    """Return the seconds of some work, the least of several runs."""
    seconds = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def _encoding() -> float:
    """Return the seconds that the multiplications for one text take at the rate of this machine."""
    size = 1024
    matrix = np.random.default_rng(1).normal(size=(size, size)).astype(np.float32)
    rate = size**3 / _least(lambda: matrix @ matrix, 5)
    a_token = _LAYERS * (12 * _WIDTH**2 + 2 * _TOKENS * _WIDTH)
    return _TOKENS * a_token / rate


def _piped(runs: int = 200) -> float:
    """Return the seconds of a message of some bytes to another process and back."""
    echo = "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stdout.flush()"
    with subprocess.Popen(
        [sys.executable, "-c", echo], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None

        def send(line: bytes = b"x" * 200 + b"\n") -> None:
            process.stdin.write(line)  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            process.stdout.readline()  # type: ignore[union-attr]

        send()
        seconds = _least(send, runs)
        process.stdin.close()
    return seconds


def _limits(library: Path, runs: int) -> dict[str, float]:
    """Return the limit of each figure, seconds."""
    nothing = _least(lambda: subprocess.run([sys.executable, "-c", ""], check=True), runs + 2)
    read = nothing + _least(library.read_bytes, runs + 2)
    piped = _piped()
    return {
        "initialize": nothing,
        "first_start": read,
        "next_start": read,
        "first_semantic": read + _encoding(),
        "warm_median": piped,
        "warm_p95": piped,
    }


def _measure(entries: int, runs: int) -> tuple[dict[str, float], dict[str, float]]:
    """Return the seconds of a writer's waits, and their limits."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_library(folder, entries)
        (folder / "draft.tex").write_text(draft(entries), encoding="utf-8")
        limits = _limits(folder / "library.bib", runs)
        return asyncio.run(latency.measure(folder, runs)), limits


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=300, help="entries of the library")
    parser.add_argument("--runs", type=int, default=3, help="fresh processes to measure")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="write a drawing (SVG), too")
    options = parser.parse_args()
    ours, limits = _measure(options.entries, options.runs)
    text = library(options.entries).replace('{\\"u}', "ü")
    others = peers.compare({"": text}, 60.0)[""]
    names = [server.name for server in SERVERS]
    rows, waits = [], []
    for name, title in {**latency.NAMES, **peers.OPERATIONS}.items():
        figures = {server: others[server][name] for server in names if name in others[server]}
        if name in ours:
            figures[OURS] = ours[name]
        limit = f"{peers.shown(limits[name])}: {_LIMITS[name]}" if name in limits else ""
        cells = [peers.shown(figures[server]) if server in figures else "" for server in names]
        rows.append([title, *cells, limit])
        seconds = {
            server: figure for server, figure in figures.items() if not isinstance(figure, str)
        }
        waits.append(Wait(title, seconds, limits.get(name)))
    print(table([f"{options.entries} entries", *names, "limit"], rows))
    if options.figure:
        title = f"What a writer waits for, with {options.entries} entries"
        options.figure.write_text(draw_waits(waits, names, title), encoding="utf-8")


if __name__ == "__main__":
    main()
