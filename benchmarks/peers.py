"""The same work given to cite-lsp and to other citation servers, side by side.

    python -m benchmarks.peers [--entries N ...] [--real FILE] [--timeout SECONDS] [--json]

Every peer is installed from PyPI into a virtual environment of its own, which is thrown away in the
end. One client speaks to all of them over stdio, with the same draft in Markdown (the only kind
that all of them read), the same requests and the same generated libraries or one real `.bib`. A
start ends with the first completion that has the key in the draft; afterwards an answer counts when
it is not empty. Ours embeds the library in the background meanwhile. Ratios are what to look at:
the servers take turns on the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.client import Unanswered, within
from benchmarks.generated import library
from benchmarks.peer_servers import (
    OURS,
    SERVERS,
    Draft,
    DraftClient,
    Server,
    draft_citing,
    install,
)

OPERATIONS = {
    "first_start": "first start to first completion",
    "next_start": "next start to first completion",
    "keystroke": "completion per typed letter",
    "hover": "hover on a key",
    "definition": "definition of a key",
}

Figures = dict[str, float | str]
"""The median of each operation in seconds, or why there is none."""
Seconds = dict[str, list[float]]
"""What each operation took, request by request."""


async def measure(
    server: Server, command: list[str], folder: Path, draft: Draft, turn: int, timeout: float
) -> tuple[Seconds, dict[str, str]]:
    """Return what a server takes in one turn of every operation, and why some gave nothing."""
    settings = server.settings(folder / "library.bib") if server.settings else None
    seconds: Seconds = {}
    failed: dict[str, str] = {}

    def new_client(home: str) -> DraftClient:
        return DraftClient(folder, folder / server.name / home, command, draft, timeout)

    async def start(operation: str, client: DraftClient) -> bool:
        try:
            seconds[operation] = [await client.begin(settings)]
        except Unanswered as reason:
            failed[operation] = str(reason)
        return operation in seconds

    client = new_client(f"home{turn}")
    started = await start("first_start", client)
    await client.stop()
    if started:
        client = new_client("home0")
        if await start("next_start", client):
            strokes = [partial(client.keystroke, count) for count in range(1, len(draft.typed) + 1)]
            lookups = {
                name: [partial(client.lookup, name, index) for index in range(len(draft.keys))]
                for name in ("hover", "definition")
            }
            for name, work in (*lookups.items(), ("keystroke", strokes)):
                before = client.erase if name == "keystroke" else None
                try:
                    seconds[name] = await timed(work, timeout, before)
                except Unanswered as reason:
                    failed[name] = str(reason)
        await client.stop()
    missing = {name: "not started" for name in OPERATIONS if name not in {*seconds, *failed}}
    return seconds, failed | missing


async def timed(
    work: Sequence[Callable[[], Awaitable[None]]],
    timeout: float,
    before: Callable[[], None] | None = None,
) -> list[float]:
    """Return the seconds of each piece of work.

    All of it is done twice, the first time to warm up; where that takes a quarter of the timeout it
    counts. After half of the timeout there is no new request.

    Raises:
        Unanswered: a piece fails, or takes longer than the timeout.
    """
    seconds: list[float] = []
    begun = time.perf_counter()
    for warm in (False, True):
        if before is not None:
            before()
        for request in work:
            started = time.perf_counter()
            await within(timeout, request())
            if warm or started - begun > timeout / 4:
                seconds.append(time.perf_counter() - started)
            if seconds and time.perf_counter() - begun > timeout / 2:
                return seconds
    return seconds


def compare(bibliographies: dict[str, str], timeout: float) -> dict[str, dict[str, Figures]]:
    """Return the figures of every server on every bibliography, given by name and text."""
    folder = Path(tempfile.mkdtemp())
    figures: dict[str, dict[str, Figures]] = {}
    try:
        commands = {server.name: install(server, folder) for server in SERVERS}
        for number, (name, text) in enumerate(bibliographies.items()):
            place = folder / f"project{number}"
            place.mkdir()
            (place / "library.bib").write_text(text, encoding="utf-8")
            draft = draft_citing(text)
            (place / "draft.md").write_text(draft.text, encoding="utf-8")
            (place / ".bibli.toml").write_text(
                '[backends.main]\nbackend_type = "bibfile"\nbibfiles = ["library.bib"]\n'
            )
            turns = 7 if len(text) < 1_000_000 else 3 if len(text) < 10_000_000 else 1
            figures[name] = take_turns(commands, place, draft, turns, timeout)
            print(f"{name}: measured", file=sys.stderr)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return figures


def take_turns(
    commands: dict[str, list[str] | str], folder: Path, draft: Draft, turns: int, timeout: float
) -> dict[str, Figures]:
    """Return the figures of every server on the library in a folder, one after the other in turn.

    So whatever else the machine is doing slows down all of them.
    """
    seconds: dict[str, Seconds] = {server.name: {} for server in SERVERS}
    failed: dict[str, dict[str, str]] = {server.name: {} for server in SERVERS}
    for turn in range(turns):
        for server in SERVERS:
            command = commands[server.name]
            if isinstance(command, str):
                failed[server.name] = dict.fromkeys(OPERATIONS, command)
            elif not {"first_start", "next_start"} & failed[server.name].keys():
                work = measure(server, command, folder, draft, turn, timeout)
                measured, reasons = asyncio.run(work)
                failed[server.name] |= reasons
                for operation, taken in measured.items():
                    seconds[server.name].setdefault(operation, []).extend(taken)
    return {
        name: {
            operation: failed[name].get(operation) or statistics.median(taken[operation])
            for operation in OPERATIONS
        }
        for name, taken in seconds.items()
    }


def ratio(figures: dict[str, Figures], peer: str, operation: str) -> float | None:
    """Return how many times as long as ours a peer took, or None where one has no figure."""
    ours, theirs = figures[OURS][operation], figures[peer][operation]
    if isinstance(ours, str) or isinstance(theirs, str):
        return None
    return theirs / ours


def table(figures: dict[str, dict[str, Figures]]) -> str:
    """Return the figures as a table in Markdown, each peer's with its ratio to ours."""
    peers = [server.name for server in SERVERS if server.name != OURS]
    rows = [
        f"| library | operation | {OURS} | " + " | ".join(f"{peer} (ratio)" for peer in peers),
        "| --- " * (len(peers) + 3),
    ]
    for name, each in figures.items():
        for operation, title in OPERATIONS.items():
            cells = [name, title, shown(each[OURS][operation])]
            for peer in peers:
                times = ratio(each, peer, operation)
                cells.append(shown(each[peer][operation]))
                if times is not None:
                    cells[-1] += f" ({times:.{0 if times >= 10 else 1 if times >= 1 else 2}f} ×)"
            rows.append("| " + " | ".join(cells))
    return "\n".join(f"{row.rstrip()} |" for row in rows)


def shown(figure: float | str) -> str:
    """Return a figure as it is printed."""
    if isinstance(figure, str):
        return figure
    if figure < 0.0001:
        return f"{figure * 1e6:.0f} µs"
    return f"{figure:.2f} s" if figure >= 1 else f"{figure * 1000:.1f} ms"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--entries", type=int, nargs="*", default=[300, 7_000, 72_000], help="generated libraries"
    )
    parser.add_argument("--real", type=Path, metavar="FILE", help="a .bib to measure as well")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one operation")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    options = parser.parse_args()
    # An umlaut as a command, whose quotation mark one of the peers stumbles over, is what real
    # files are for: in the generated ones each server shall find what it can read.
    texts = {
        f"{entries:,} entries": library(entries).replace('{\\"u}', "ü")
        for entries in options.entries
    }
    if options.real:
        texts[options.real.name] = options.real.read_text(encoding="utf-8")
    figures = compare(texts, options.timeout)
    if options.json:
        ratios = {
            name: {
                server.name: {
                    operation: ratio(each, server.name, operation) for operation in OPERATIONS
                }
                for server in SERVERS[1:]
            }
            for name, each in figures.items()
        }
        print(json.dumps({"seconds": figures, "ratios": ratios}, indent=2, ensure_ascii=False))
    else:
        print(table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
