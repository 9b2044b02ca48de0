"""What the server takes when it is driven hard: a real process, keys that are typed, files opened.

    python benchmarks/load.py [--seconds N] [--files N] [--only SCENARIO] [--draft FILE.tex ...]

Each scenario starts a server of its own and types 20 keys a second into a citation, with a
completion at each key and a hover at every tenth; then it counts what became of the requests. A
last one opens and closes files and reads the memory meanwhile. Drafts are made of templates, or of
the sections of `--draft`, some of whose words are replaced by others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from benchmarks.latency import draft, library
from cite_lsp.cli.printing.output import table

_KEYS_A_SECOND = 20
_PATIENCE = 120.0
"""Seconds that are waited for answers behind the last key."""
_TYPED = "retrieval of galaxies and their clusters "
_ENTRIES = 500
_MEGABYTE = 1 << 20
_CITATION = re.compile(r" \\citep\{[^{}]*\}")


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
    dropped: int = 0

    def percentile(self, share: float) -> float:
        """Return the milliseconds within which a share of the answers came."""
        ordered = sorted(self.seconds) or [0.0]
        return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]


class Server:
    """A server process that is spoken to in plain JSON-RPC, and whose every answer is timed."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.ready = asyncio.Event()
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, folder: Path) -> Server:
        """Start a server for a folder; its caches are empty."""
        environment = {**os.environ, "CITE_LSP_HOME": str(folder / ".home")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # which would compile all at each start
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cite_lsp", "serve"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment,
        )
        server = cls(process)
        params: dict[str, Any] = {"processId": None, "capabilities": {}, "rootUri": folder.as_uri()}
        await server.request("initialize", params)
        server.notify("initialized", {})
        return server

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    @property
    def last_request(self) -> int:
        """The number of the request that was sent last."""
        return self._number

    def request(self, method: str, params: object) -> asyncio.Future[Any]:
        """Send a request; the future holds the result, or is cancelled where there is an error."""
        self._number += 1
        future = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        self._send({"id": self._number, "method": method, "params": params})
        return future

    def open(self, path: Path) -> None:
        """Open a file."""
        item = {"uri": path.as_uri(), "languageId": "latex", "version": 1}
        item |= {"text": path.read_text(encoding="utf-8")}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def type(self, where: dict[str, Any], letter: str, version: int) -> None:
        """Type a letter at a place, which makes the text one of that version."""
        at = dict.fromkeys(("start", "end"), where["position"])
        document = where["textDocument"] | {"version": version}
        changes = [{"range": at, "text": letter}]
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    async def stop(self) -> None:
        """End the process."""
        await self.request("shutdown", None)
        self.notify("exit", None)
        await self.process.wait()
        self._reading.cancel()

    @property
    def megabytes(self) -> float:
        """The memory of the process."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / _MEGABYTE

    @property
    def threads(self) -> int:
        """The threads of the process."""
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    @property
    def processor(self) -> float:
        """The seconds of processor time that the process has taken."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while header := await self.process.stdout.readline():
            await self.process.stdout.readline()
            message = json.loads(await self.process.stdout.readexactly(int(header[15:])))
            if message.get("method") == "citeLsp/status":
                if message["params"]["state"] == "ready":
                    self.ready.set()
            elif "method" in message and "id" in message:
                self._send({"id": message["id"], "result": None})
            elif (future := self._waiting.pop(message.get("id"), None)) is not None:
                if "error" in message:
                    future.cancel()
                else:
                    future.set_result(message["result"])


def chapter(folder: Path, text: str, size: int) -> list[Path]:
    """Write a draft of one long file, and return what is opened: the last one is typed into."""
    path = folder / "draft.tex"
    path.write_text(_preamble() + _long(text, size) + _open_end(), encoding="utf-8")
    (folder / "library.bib").write_text(library(_ENTRIES), encoding="utf-8")
    return [path]


def project(folder: Path, text: str, files: int) -> list[Path]:
    """Write a draft of many files, one of which is opened."""
    size = 4_000
    for number in range(files):
        (folder / f"part{number}.tex").write_text(_long(text, size, number), encoding="utf-8")
    inputs = "".join(f"\\input{{part{number}}}\n" for number in range(files))
    (folder / "main.tex").write_text(f"{_preamble()}{inputs}\\end{{document}}", encoding="utf-8")
    (folder / "library.bib").write_text(library(_ENTRIES), encoding="utf-8")
    path = folder / "part0.tex"
    path.write_text(_long(text, size) + _open_end(), encoding="utf-8")
    return [path]


def buffers(folder: Path, text: str, files: int) -> list[Path]:
    """Write drafts that share a bibliography; all of them are opened."""
    (folder / "library.bib").write_text(library(_ENTRIES), encoding="utf-8")
    paths = [folder / f"draft{number}.tex" for number in range(files)]
    for number, path in enumerate(paths):
        content = _preamble() + _long(text, 10_000, number) + _open_end()
        path.write_text(content, encoding="utf-8")
    return paths


def entries(folder: Path, text: str, count: int) -> list[Path]:
    """Write a draft with a bibliography of many entries."""
    paths = chapter(folder, text, 30_000)
    records = library(_ENTRIES)
    copies = (
        records.replace("@article{key", f"@article{{copy{number}x").replace(", part", f" {number},")
        for number in range(1, count // _ENTRIES)
    )
    (folder / "library.bib").write_text(records + "".join(copies), encoding="utf-8")
    return paths


def _template() -> str:
    """Return a text of templates that cites about as often as a thesis does."""
    paragraphs = draft(_ENTRIES).rpartition("\n\n")[0].partition("\\begin{document}\n")[2]
    return "\n\n".join(
        paragraph if number % 6 == 0 else _CITATION.sub("", paragraph)
        for number, paragraph in enumerate(paragraphs.split("\n\n"))
    )


def _preamble() -> str:
    return (
        "\\documentclass{book}\n\\usepackage{natbib}\n\\bibliography{library}\n\\begin{document}\n"
    )


def _open_end() -> str:
    return "\n\nSearching for related work, dense vectors find what words miss \\citep{"


def _long(text: str, size: int, seed: int = 0) -> str:
    """Return the paragraphs of a text again and again, with some words in the place of others."""
    words = random.Random(seed)
    paragraphs = text.split("\n\n")
    parts: list[str] = []
    while size > 0:
        part = paragraphs[len(parts) % len(paragraphs)]
        if len(parts) >= len(paragraphs) or seed:
            part = re.sub(r"\b(?:the|of|and)\b", lambda word: _other(word[0], words), part)
        parts.append(part)
        size -= len(part) + 2
    return "\n\n".join(parts)


def _other(word: str, words: random.Random) -> str:
    return f"{word} word{words.randrange(5000)}" if words.random() < 0.2 else word


async def type_keys(scenario: Scenario, text: str, seconds: int) -> list[str]:
    """Type for some seconds, and return the row of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = scenario.write(folder, text)
        server = await Server.start(folder)
        for path in paths:
            server.open(path)
        content = paths[-1].read_text(encoding="utf-8")
        line, column = content.count("\n"), len(content) - content.rfind("\n") - 1
        if scenario.at_once:
            place = {"line": line, "character": column}
            where = {"textDocument": {"uri": paths[-1].as_uri()}, "position": place}
            await server.request("textDocument/completion", where)
        else:
            await asyncio.wait_for(server.ready.wait(), 1200)
            await _quiet(server)
        keys = [_TYPED[number % len(_TYPED)] for number in range(seconds * _KEYS_A_SECOND)]
        completions, hovers, before = Counts(), Counts(), server.processor
        pending: set[asyncio.Task[None]] = set()
        last = 0
        started = time.monotonic()
        for number, key in enumerate(keys):
            await asyncio.sleep(max(0.0, started + number / _KEYS_A_SECOND - time.monotonic()))
            document = {"uri": paths[-1].as_uri()}
            place = {"line": line, "character": column + number}
            if scenario.cancels and last:
                server.notify("$/cancelRequest", {"id": last})
            server.type({"textDocument": document, "position": place}, key, number + 2)
            place = {"line": line, "character": column + number + 1}
            where = {"textDocument": document, "position": place}
            pending.add(_ask(server, "textDocument/completion", where, completions))
            last = server.last_request
            if number % 10 == 0:
                pending.add(_ask(server, "textDocument/hover", where, hovers))
        ended = time.monotonic()
        _, unanswered = await asyncio.wait(pending, timeout=_PATIENCE)
        behind = time.monotonic() - ended
        processor = 1000 * (server.processor - before) / len(keys)
        row = [
            f"{scenario.name}, {'cancelling' if scenario.cancels else 'not cancelling'}",
            f"{len(completions.seconds)} of {completions.requests}",
            f"{completions.percentile(0.5):,.0f} / {completions.percentile(0.99):,.0f}",
            f"{hovers.percentile(0.5):,.0f} / {hovers.percentile(0.99):,.0f}",
            f"{len(unanswered)}",
            f"{behind:,.1f}",
            f"{processor:,.0f}",
            f"{server.megabytes:,.0f}",
        ]
        if unanswered:
            server.process.kill()
        else:
            await server.stop()
        return row


def _ask(server: Server, method: str, params: object, counts: Counts) -> asyncio.Task[None]:
    sent = time.monotonic()
    counts.requests += 1
    answer = server.request(method, params)

    async def wait() -> None:
        try:
            await answer
            counts.seconds.append(time.monotonic() - sent)
        except asyncio.CancelledError:
            counts.dropped += 1

    return asyncio.create_task(wait())


async def _quiet(server: Server) -> None:
    """Wait until the server has nothing to do: it learns how the writer cites, for a while."""
    before = -1.0
    while server.processor - before > 0.3:
        before = server.processor
        await asyncio.sleep(5)


async def open_and_close(files: int) -> list[list[str]]:
    """Open and close files one after the other; return the memory now and then."""
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "library.bib").write_text(library(_ENTRIES), encoding="utf-8")
        paths = [folder / str(number) / "draft.tex" for number in range(files)]
        server = await Server.start(folder)
        for number, path in enumerate(paths):
            path.parent.mkdir()
            text = f"{_preamble()}{_long(_template(), 3_000, number)}".replace(
                "{library}", "{../library}"
            )
            path.write_text(text, encoding="utf-8")
            server.open(path)
            document = {"uri": path.as_uri()}
            place = {"line": 4, "character": 0}
            where = {"textDocument": document, "position": place}
            await server.request("textDocument/completion", where)
            await server.request("textDocument/diagnostic", {"textDocument": document})
            server.notify("textDocument/didClose", {"textDocument": document})
            if (number + 1) % max(1, files // 8) == 0:
                await _quiet(server)
                rows.append([f"{number + 1:,}", f"{server.megabytes:,.0f}", f"{server.threads}"])
        await server.stop()
    return rows


_SCENARIOS = {
    "chapter": ("a chapter of 1 MB", lambda folder, text: chapter(folder, text, 1_000_000)),
    "project": ("a project of 500 files", lambda folder, text: project(folder, text, 499)),
    "buffers": ("50 open buffers", lambda folder, text: buffers(folder, text, 50)),
    "entries": (
        "100,000 entries, from the first list on",
        lambda folder, text: entries(folder, text, 100_000),
    ),
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
    text = text or _template()
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
