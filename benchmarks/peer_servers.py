"""The servers that `benchmarks.peers` compares, and the draft that is written with each."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.client import SERVER, Client, Unanswered, after, proposed, within

OURS = "cite-lsp"
PLAIN_KEY = re.compile(r"^\s*@[a-zA-Z]+\s*\{\s*([A-Za-z][A-Za-z0-9_]+)\s*,", re.MULTILINE)
"""Keys that every server can read in a draft."""


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


class DraftClient(Client):
    """A client that writes a draft."""

    def __init__(
        self, folder: Path, home: Path, command: Sequence[str], draft: Draft, timeout: float
    ) -> None:
        """Prepare a server for the folder of a draft; all that takes longer is no answer."""
        super().__init__(folder, home, command)
        self.path, self.draft, self.timeout = folder / "draft.md", draft, timeout

    async def begin(self, settings: dict[str, Any] | None) -> float:
        """Start the process; return the seconds until it completed a key.

        Raises:
            Unanswered: it ended, or did not do it in time.
        """
        started = time.perf_counter()
        await within(self.timeout, self.start())
        if settings is not None:
            self.tell("workspace/didChangeConfiguration", {"settings": settings})
        self.open(self.path, self.draft.text, "markdown")
        left = self.timeout - (time.perf_counter() - started)
        try:
            await within(left, self._first_completion(), self.timeout)
        except Unanswered as reason:
            raise Unanswered(f"{reason}{self.said(': ')}") from None
        return time.perf_counter() - started

    async def _first_completion(self) -> None:
        """Ask until the key in the last line is proposed."""
        end = self.draft.place(len(self.draft.keys) - 1, len(self.draft.typed))
        while True:
            keys = proposed(await self.at("completion", self.path, end))
            if any(self.draft.typed in json.dumps(item) for item in keys):
                return
            await asyncio.sleep(0.02)

    async def lookup(self, operation: str, index: int) -> None:
        """Ask for the hover or the definition of a key.

        Raises:
            Unanswered: the answer is empty.
        """
        if not await self.at(operation, self.path, self.draft.place(index)):
            raise Unanswered("answers nothing")

    async def keystroke(self, letters: int) -> None:
        """Have so many letters of the last key typed, and ask for completions.

        Raises:
            Unanswered: nothing is proposed.
        """
        last = len(self.draft.keys) - 1
        before = self.draft.place(last, letters - 1)
        self.change(self.path, before, self.draft.typed[letters - 1])
        if not proposed(await self.at("completion", self.path, after(before, 1))):
            raise Unanswered("proposes nothing")

    def erase(self) -> None:
        """Delete the last key."""
        last = len(self.draft.keys) - 1
        end = self.draft.place(last, len(self.draft.typed))
        self.change(self.path, self.draft.place(last, 0), "", end)


def install(server: Server, folder: Path) -> list[str] | str:
    """Return the command that starts a server, installing it first, or why there is none."""
    if not server.requirement:
        return list(SERVER)
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
