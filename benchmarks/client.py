"""A language server in a process of its own, spoken to in plain JSON-RPC, and what it takes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

SERVER = (sys.executable, "-m", "cite_lsp", "serve")
_MEGABYTE = 1 << 20


class Unanswered(Exception):
    """An operation that gave no answer; the message says why, in a few words."""


class Client:
    """A server process and the client that speaks to it."""

    process: asyncio.subprocess.Process

    def __init__(self, folder: Path, home: Path, command: Sequence[str] = SERVER) -> None:
        """Prepare a server for a folder, which keeps in `home` what it keeps on disk."""
        self.folder, self.home, self.command = folder, home, command
        self.number = 0
        """Of the last request."""
        self._version = 1
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._prepared = asyncio.Event()
        self._state = ""

    async def start(self) -> float:
        """Start the process; return the seconds until `initialize` was answered.

        Raises:
            Unanswered: it ended.
        """
        self.home.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "CITE_LSP_HOME": str(self.home), "HOME": str(self.home)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # which would compile all at each start
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
        self._reading = asyncio.create_task(self._read())
        capabilities = {"general": {"positionEncodings": ["utf-16"]}}
        root = {"rootUri": self.folder.as_uri(), "rootPath": str(self.folder)}
        await self.ask(
            "initialize", {"processId": os.getpid(), "capabilities": capabilities, **root}
        )
        answered = time.perf_counter() - started
        self.tell("initialized", {})
        return answered

    def said(self, before: str) -> str:
        """Return the last line of the log of the process behind other text, or "" without one."""
        lines = (self.home / "stderr").read_text(encoding="utf-8", errors="replace").split("\n")
        return next((before + line.strip()[:60] for line in reversed(lines) if line.strip()), "")

    async def ready(self) -> None:
        """Wait until papers are ranked by meaning (ours alone says so).

        Raises:
            Unanswered: they cannot be.
        """
        await within(1200, self._prepared.wait())
        if self._state != "ready":
            raise Unanswered(f"cannot rank by meaning{self.said(': ')}")

    async def quiet(self) -> None:
        """Wait until the server has nothing to do: it learns how the writer cites, for a while."""
        before = -1.0
        while self.processor - before > 0.3:
            before = self.processor
            await asyncio.sleep(5)

    def open(self, path: Path, text: str | None = None, language: str = "latex") -> None:
        """Open a file, or a text in its place."""
        text = path.read_text(encoding="utf-8") if text is None else text
        item = {"uri": path.as_uri(), "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def close(self, path: Path) -> None:
        """Close a file."""
        self.tell("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def change(
        self, path: Path, start: dict[str, int], text: str, end: dict[str, int] | None = None
    ) -> None:
        """Put a text at a place of a file, or in the place of what ends at another one."""
        self._version += 1
        document = {"uri": path.as_uri(), "version": self._version}
        changes = [{"range": {"start": start, "end": end or start}, "text": text}]
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def at(self, operation: str, path: Path, position: dict[str, int]) -> asyncio.Future[Any]:
        """Ask for something at a position of a file."""
        place = {"textDocument": {"uri": path.as_uri()}, "position": position}
        return self.ask(f"textDocument/{operation}", place)

    def ask(self, method: str, params: object) -> asyncio.Future[Any]:
        """Send a request; the future holds its result, or `Unanswered`."""
        self.number += 1
        answer = self._waiting[self.number] = asyncio.get_running_loop().create_future()
        self._send({"id": self.number, "method": method, "params": params})
        return answer

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

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
        if not self.process.stdin.is_closing():
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _read(self) -> None:
        """Hand every answer to who waits for it, until the process ends."""
        assert self.process.stdout is not None
        try:
            while True:
                header = await self.process.stdout.readuntil(b"\r\n\r\n")
                length = re.search(rb"Content-Length: (\d+)", header)
                assert length is not None
                self._receive(json.loads(await self.process.stdout.readexactly(int(length[1]))))
        except asyncio.IncompleteReadError:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(Unanswered(f"ended{self.said(': ')}"))

    def _receive(self, message: dict[str, Any]) -> None:
        """Take one message; requests of the server are answered with nothing."""
        if "method" in message:
            if message["method"] == "citeLsp/status":
                self._state = message["params"]["state"]
                if self._state in ("ready", "error"):
                    self._prepared.set()
            elif "id" in message:
                self._send({"id": message["id"], "result": None})
            return
        answer = self._waiting.pop(message["id"], None)
        if answer is None or answer.done():
            return
        if error := message.get("error"):
            answer.set_exception(Unanswered(f"error: {error['message'].splitlines()[0][:60]}"))
        else:
            answer.set_result(message.get("result"))


def end_of(text: str) -> dict[str, int]:
    """Return the position behind the last character of a text of plain letters."""
    return {"line": text.count("\n"), "character": len(text) - text.rfind("\n") - 1}


def after(position: dict[str, int], letters: int) -> dict[str, int]:
    """Return the position so many letters behind another one."""
    return position | {"character": position["character"] + letters}


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
