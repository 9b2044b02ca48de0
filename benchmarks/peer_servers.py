"""The servers that `benchmarks.peers` compares, and a client that speaks to all of them alike."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
import venv
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

OURS = "cite-lsp"
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


def draft_citing(bibliography: str) -> Draft:
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
