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
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.library import library

T = TypeVar("T")

OURS = "cite-lsp"
OPERATIONS = {
    "first_start": "first start to first completion",
    "next_start": "next start to first completion",
    "keystroke": "completion per typed letter",
    "hover": "hover on a key",
    "definition": "definition of a key",
}
PLAIN_KEY = re.compile(r"^\s*@[a-zA-Z]+\s*\{\s*([A-Za-z][A-Za-z0-9_]+)\s*,", re.MULTILINE)
"""Keys that every server can read in a draft."""


class Unanswered(Exception):
    """An operation that gave no answer; the message says why, in a few words."""


@dataclass(frozen=True)
class Server:
    """A server to measure: how it is installed, started and told where the library is."""

    name: str
    requirement: str = ""
    """What pip installs; empty for the server that is here."""
    program: str = ""
    """The program that the requirement brings, by the name it has in the environment."""
    settings: Callable[[Path], dict[str, Any]] | None = None
    """Settings that are sent after the start, made from the path of the library."""


SERVERS = (
    Server(OURS),
    Server(
        "citation-langserver",
        "citation-langserver==0.2.2",
        "citation-langserver",
        lambda bib: {"citation": {"bibliographies": [str(bib)]}},
    ),
    # Its definitions need the program `rg` (ripgrep) on the path.
    Server("bibli-ls", "bibli-ls==0.1.6.2", "bibli_ls"),
)


@dataclass(frozen=True)
class Draft:
    """A draft in Markdown that cites some keys, one a line, and ends in the key being typed."""

    keys: tuple[str, ...]
    first_line: int = 5

    @property
    def typed(self) -> str:
        """The key in the last line."""
        return self.keys[-1]

    @property
    def text(self) -> str:
        """What the editor holds."""
        cited = "\n".join(f"Words miss what [@{key}] found." for key in self.keys)
        return f"---\nbibliography: library.bib\n---\n\n# Introduction\n{cited}\n"

    def place(self, index: int, offset: int = 1) -> dict[str, int]:
        """Return the position so many letters into a key."""
        column = len("Words miss what [@") + offset
        return {"line": self.first_line + index, "character": column}


def draft(bibliography: str) -> Draft:
    """Return a draft that cites ten keys from all over a bibliography.

    Raises:
        ValueError: it has too few keys of plain letters and digits.
    """
    keys = list(dict.fromkeys(PLAIN_KEY.findall(bibliography)))
    if len(keys) < 10:
        raise ValueError("the bibliography has fewer than ten keys of plain letters and digits")
    return Draft(tuple(keys[len(keys) * tenth // 10] for tenth in range(10)))


@dataclass
class Client:
    """A server process and the client that speaks to it."""

    command: list[str]
    folder: Path
    home: Path
    draft: Draft
    timeout: float
    version: int = 1
    number: int = 0
    waiting: dict[int, asyncio.Future[object]] = field(default_factory=dict)

    async def start(self, settings: dict[str, Any] | None) -> float:
        """Start the process; return the seconds until it completed a key.

        Raises:
            Unanswered: it ended, or did not do it in time.
        """
        self.home.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "CITE_LSP_HOME": str(self.home), "HOME": str(self.home)}
        started = time.perf_counter()
        with (self.home / "stderr").open("wb") as errors:
            self.process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=self.folder,
                env=environment,
            )
        self.reading = asyncio.create_task(self.read())
        await within(self.timeout, self.greet(settings))
        left = self.timeout - (time.perf_counter() - started)
        try:
            await within(left, self.first_completion(), self.timeout)
        except Unanswered as reason:
            raise Unanswered(f"{reason}{self.said(': ')}") from None
        return time.perf_counter() - started

    def said(self, before: str) -> str:
        """Return the last line of the log of the process behind other text, or "" without one."""
        lines = (self.home / "stderr").read_text(encoding="utf-8", errors="replace").split("\n")
        return next((before + line.strip()[:60] for line in reversed(lines) if line.strip()), "")

    async def greet(self, settings: dict[str, Any] | None) -> None:
        """Initialize the server and open the draft."""
        capabilities = {"general": {"positionEncodings": ["utf-16"]}}
        root = {"rootUri": self.folder.as_uri(), "rootPath": str(self.folder)}
        await self.ask(
            "initialize", {"processId": os.getpid(), "capabilities": capabilities, **root}
        )
        self.tell("initialized", {})
        if settings is not None:
            self.tell("workspace/didChangeConfiguration", {"settings": settings})
        item = {"uri": self.uri, "languageId": "markdown", "version": 1, "text": self.draft.text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    async def first_completion(self) -> None:
        """Ask until the key in the last line is proposed."""
        end = self.draft.place(len(self.draft.keys) - 1, len(self.draft.typed))
        while True:
            keys = proposed(await self.at("completion", end))
            if any(self.draft.typed in json.dumps(item) for item in keys):
                return
            await asyncio.sleep(0.02)

    @property
    def uri(self) -> str:
        """The URI of the draft."""
        return (self.folder / "draft.md").as_uri()

    async def at(self, operation: str, position: dict[str, int]) -> object:
        """Ask for something at a position."""
        place = {"textDocument": {"uri": self.uri}, "position": position}
        return await self.ask(f"textDocument/{operation}", place)

    async def lookup(self, operation: str, index: int) -> None:
        """Ask for the hover or the definition of a key.

        Raises:
            Unanswered: the answer is empty.
        """
        if not await self.at(operation, self.draft.place(index)):
            raise Unanswered("answers nothing")

    async def keystroke(self, letters: int) -> None:
        """Have so many letters of the last key typed, and ask for completions.

        Raises:
            Unanswered: nothing is proposed.
        """
        last = len(self.draft.keys) - 1
        before = self.draft.place(last, letters - 1)
        self.change(before, before, self.draft.typed[letters - 1])
        if not proposed(await self.at("completion", self.draft.place(last, letters))):
            raise Unanswered("proposes nothing")

    def erase(self) -> None:
        """Delete the last key."""
        last = len(self.draft.keys) - 1
        self.change(self.draft.place(last, 0), self.draft.place(last, len(self.draft.typed)), "")

    def change(self, start: dict[str, int], end: dict[str, int], text: str) -> None:
        """Replace a part of the draft."""
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        changes = [{"range": {"start": start, "end": end}, "text": text}]
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    async def ask(self, method: str, params: object) -> object:
        """Send a request; return its result.

        Raises:
            Unanswered: the server answered with an error, or it ended.
        """
        self.number += 1
        answer = self.waiting[self.number] = asyncio.get_running_loop().create_future()
        self.send({"id": self.number, "method": method, "params": params})
        return await answer

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        if not self.process.stdin.is_closing():
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def read(self) -> None:
        """Hand every answer to who waits for it, until the process ends."""
        assert self.process.stdout is not None
        try:
            while True:
                header = await self.process.stdout.readuntil(b"\r\n\r\n")
                length = re.search(rb"Content-Length: (\d+)", header)
                assert length is not None
                self.receive(json.loads(await self.process.stdout.readexactly(int(length[1]))))
        except asyncio.IncompleteReadError:
            for answer in self.waiting.values():
                if not answer.done():
                    answer.set_exception(Unanswered(f"ended{self.said(': ')}"))

    def receive(self, message: dict[str, Any]) -> None:
        """Take one message; requests of the server are answered with nothing."""
        if "method" in message:
            if "id" in message:
                self.send({"id": message["id"], "result": None})
            return
        answer = self.waiting.pop(message["id"], None)
        if answer is None or answer.done():
            return
        if error := message.get("error"):
            answer.set_exception(Unanswered(f"error: {error['message'].splitlines()[0][:60]}"))
        else:
            answer.set_result(message.get("result"))

    async def stop(self) -> None:
        """Ask the process to end, and see that it does."""
        try:
            await within(5, self.ask("shutdown", None))
            self.tell("exit", None)
            await within(5, self.process.wait())
        except Unanswered:
            pass
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
        self.reading.cancel()


def proposed(answer: object) -> list[object]:
    """Return the items of an answer to a request for completions."""
    items = answer.get("items") if isinstance(answer, dict) else answer
    return items if isinstance(items, list) else []


async def within(seconds: float, work: Awaitable[T], limit: float | None = None) -> T:
    """Return what work returns.

    Raises:
        Unanswered: it takes longer than so many seconds; limit is what the message calls them.
    """
    try:
        return await asyncio.wait_for(work, max(seconds, 0.001))
    except TimeoutError:
        raise Unanswered(f"no answer in {limit or seconds:.0f} s") from None


Figures = dict[str, float | str]
"""The median of each operation in seconds, or why there is none."""
Seconds = dict[str, list[float]]
"""What each operation took, request by request."""


async def measure(
    server: Server, command: list[str], folder: Path, told: Draft, turn: int, timeout: float
) -> tuple[Seconds, dict[str, str]]:
    """Return what a server takes in one turn of every operation, and why some gave nothing."""
    settings = server.settings(folder / "library.bib") if server.settings else None
    seconds: Seconds = {}
    failed: dict[str, str] = {}

    def client(home: str) -> Client:
        return Client(command, folder, folder / server.name / home, told, timeout)

    async def start(operation: str, one: Client) -> bool:
        try:
            seconds[operation] = [await one.start(settings)]
        except Unanswered as reason:
            failed[operation] = str(reason)
        return operation in seconds

    one = client(f"home{turn}")
    started = await start("first_start", one)
    await one.stop()
    if started:
        one = client("home0")
        if await start("next_start", one):
            strokes = [partial(one.keystroke, count) for count in range(1, len(told.typed) + 1)]
            works = {
                name: [partial(one.lookup, name, index) for index in range(len(told.keys))]
                for name in ("hover", "definition")
            }
            for name, work in (*works.items(), ("keystroke", strokes)):
                before = one.erase if name == "keystroke" else None
                try:
                    seconds[name] = await timed(work, timeout, before)
                except Unanswered as reason:
                    failed[name] = str(reason)
        await one.stop()
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
        for one in work:
            started = time.perf_counter()
            await within(timeout, one())
            if warm or started - begun > timeout / 4:
                seconds.append(time.perf_counter() - started)
            if seconds and time.perf_counter() - begun > timeout / 2:
                return seconds
    return seconds


def install(server: Server, folder: Path) -> list[str] | str:
    """Return the command that starts a server, installing it first, or why there is none."""
    if not server.requirement:
        return [sys.executable, "-m", "cite_lsp", "serve"]
    home = folder / "environments" / server.name
    venv.create(home, with_pip=True)
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    pip = [str(programs / "python"), "-m", "pip", "install", "--quiet", server.requirement]
    try:
        subprocess.run(pip, check=True, capture_output=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "not installed in 300 s"
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        return f"not installed: {said[-1][:60]}"
    return [str(programs / server.program)]


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
            draft_text = draft(text)
            (place / "draft.md").write_text(draft_text.text, encoding="utf-8")
            (place / ".bibli.toml").write_text(
                '[backends.main]\nbackend_type = "bibfile"\nbibfiles = ["library.bib"]\n'
            )
            turns = 7 if len(text) < 1_000_000 else 3 if len(text) < 10_000_000 else 1
            figures[name] = take_turns(commands, place, draft_text, turns, timeout)
            print(f"{name}: measured", file=sys.stderr)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return figures


def take_turns(
    commands: dict[str, list[str] | str], folder: Path, told: Draft, turns: int, timeout: float
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
                work = measure(server, command, folder, told, turn, timeout)
                found, reasons = asyncio.run(work)
                failed[server.name] |= reasons
                for operation, taken in found.items():
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
                server.name: {one: ratio(each, server.name, one) for one in OPERATIONS}
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
