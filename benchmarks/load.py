"""What the server takes when it is driven hard: a real process, keys that are typed, files opened.

    python -m benchmarks.load [--seconds N] [--files N] [--only SCENARIO] [--draft FILE.tex ...]

Each scenario starts a server of its own and types 20 keys a second into a citation, with a
completion at each key and a hover at every tenth; then it counts what became of the requests. A
last one opens and closes files and reads the memory meanwhile. Drafts are made of templates, or of
the sections of `--draft`, some of whose words are replaced by others.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from benchmarks import generated
from benchmarks.client import Client, Unanswered, after, end_of
from benchmarks.generated import TYPED
from cite_lsp.cli.printing.output import table

_KEYS_A_SECOND = 20
_PATIENCE = 120.0
"""Seconds that are waited for answers behind the last key."""


@frozen
class Scenario:
    """What is opened, and into which file is typed; `cancels` as editors do at each key.

    With `at_once`, keys are typed from the first list on, while the library is indexed and embedded
    in the background; else once all of that is done.
    """

    name: str
    write: Callable[[Path, str], list[Path]]
    cancels: bool = True
    at_once: bool = False


@define
class Counts:
    """What became of the requests of a session."""

    seconds: list[float] = field(factory=list)
    requests: int = 0

    def percentile(self, share: float) -> float:
        """Return the milliseconds within which a share of the answers came."""
        ordered = sorted(self.seconds) or [0.0]
        return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]

    def count(self, answer: asyncio.Future[Any]) -> asyncio.Task[None]:
        """Count a request that was sent now, and how long its answer takes."""
        sent = time.monotonic()
        self.requests += 1

        async def wait() -> None:
            with suppress(Unanswered):
                await answer
                self.seconds.append(time.monotonic() - sent)

        return asyncio.create_task(wait())


def chapter(folder: Path, text: str) -> list[Path]:
    """Write a draft of one long file, and return what is opened: the last one is typed into."""
    return [_written(folder / "draft.tex", generated.chapter(1_000_000, text=text))]


def project(folder: Path, text: str) -> list[Path]:
    """Write a draft of 500 files, one of which is opened."""
    names = [f"part{number}" for number in range(499)]
    for number, name in enumerate(names):
        _written(folder / f"{name}.tex", generated.body(4_000, number, text))
    _written(folder / "main.tex", generated.including(names))
    return [_written(folder / "part0.tex", generated.body(4_000, 0, text) + generated.open_end())]


def buffers(folder: Path, text: str) -> list[Path]:
    """Write 50 drafts that share a bibliography; all of them are opened."""
    return [
        _written(folder / f"draft{number}.tex", generated.chapter(10_000, number, text))
        for number in range(50)
    ]


def entries(folder: Path, text: str) -> list[Path]:
    """Write a draft with a bibliography of 100,000 entries."""
    generated.write_library(folder, 100_000)
    return [_written(folder / "draft.tex", generated.chapter(30_000, text=text))]


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


async def type_keys(scenario: Scenario, text: str, seconds: int) -> list[str]:
    """Type for some seconds, and return the row of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generated.write_library(folder)
        paths = scenario.write(folder, text)
        path = paths[-1]
        client = Client(folder, folder / ".home")
        await client.start()
        for opened in paths:
            client.open(opened)
        end = end_of(path.read_text(encoding="utf-8"))
        if scenario.at_once:
            await client.at("completion", path, end)
        else:
            await client.ready()
            await client.quiet()
        keys = [TYPED[number % len(TYPED)] for number in range(seconds * _KEYS_A_SECOND)]
        completions, hovers, before = Counts(), Counts(), client.processor
        pending: set[asyncio.Task[None]] = set()
        last = 0
        started = time.monotonic()
        for number, key in enumerate(keys):
            await asyncio.sleep(max(0.0, started + number / _KEYS_A_SECOND - time.monotonic()))
            if scenario.cancels and last:
                client.tell("$/cancelRequest", {"id": last})
            client.change(path, after(end, number), key)
            place = after(end, number + 1)
            pending.add(completions.count(client.at("completion", path, place)))
            last = client.number
            if number % 10 == 0:
                pending.add(hovers.count(client.at("hover", path, place)))
        ended = time.monotonic()
        _, unanswered = await asyncio.wait(pending, timeout=_PATIENCE)
        behind = time.monotonic() - ended
        processor = 1000 * (client.processor - before) / len(keys)
        row = [
            f"{scenario.name}, {'cancelling' if scenario.cancels else 'not cancelling'}",
            f"{len(completions.seconds)} of {completions.requests}",
            f"{completions.percentile(0.5):,.0f} / {completions.percentile(0.99):,.0f}",
            f"{hovers.percentile(0.5):,.0f} / {hovers.percentile(0.99):,.0f}",
            f"{len(unanswered)}",
            f"{behind:,.1f}",
            f"{processor:,.0f}",
            f"{client.megabytes:,.0f}",
        ]
        await client.stop()
        return row


async def open_and_close(files: int) -> list[list[str]]:
    """Open and close files one after the other; return the memory now and then."""
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generated.write_library(folder)
        client = Client(folder, folder / ".home")
        await client.start()
        for number in range(files):
            path = folder / str(number) / "draft.tex"
            path.parent.mkdir()
            text = generated.chapter(3_000, number).replace("{library}", "{../library}")
            client.open(_written(path, text))
            await client.at("completion", path, {"line": 4, "character": 0})
            await client.ask("textDocument/diagnostic", {"textDocument": {"uri": path.as_uri()}})
            client.close(path)
            if (number + 1) % max(1, files // 8) == 0:
                await client.quiet()
                rows.append([f"{number + 1:,}", f"{client.megabytes:,.0f}", f"{client.threads}"])
        await client.stop()
    return rows


_SCENARIOS = {
    "chapter": ("a chapter of 1 MB", chapter),
    "project": ("a project of 500 files", project),
    "buffers": ("50 open buffers", buffers),
    "entries": ("100,000 entries, from the first list on", entries),
}


def main() -> None:
    """Measure, and print the tables in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=120, help="of typing in each scenario")
    parser.add_argument("--files", type=int, default=2000, help="that are opened and closed")
    parser.add_argument("--only", choices=[*_SCENARIOS, "closed"], action="append")
    parser.add_argument(
        "--draft", type=Path, nargs="*", default=[], help="files whose text is used"
    )
    options = parser.parse_args()
    text = "\n\n".join(path.read_text(encoding="utf-8") for path in options.draft)
    only = options.only or [*_SCENARIOS, "closed"]
    rows = [
        asyncio.run(
            type_keys(
                Scenario(name, write, cancels, at_once=key == "entries"), text, options.seconds
            )
        )
        for key, (name, write) in _SCENARIOS.items()
        if key in only
        for cancels in (True, False)
    ]
    if rows:
        heads = ["20 keys a second", "lists answered", "list, ms (median / p99)"]
        heads += ["hover, ms (median / p99)", "unanswered", "s to the last answer"]
        heads += ["processor, ms a key", "memory, MB"]
        print(table(heads, rows))
    if "closed" in only:
        rows = asyncio.run(open_and_close(options.files))
        print("\n" + table(["files opened and closed", "memory, MB", "threads"], rows))


if __name__ == "__main__":
    main()
