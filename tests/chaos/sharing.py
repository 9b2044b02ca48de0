"""Several processes on one home, clocks that go back, files that change while they are read."""

from __future__ import annotations

import os
import random
import shutil
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

from cite_lsp.library.load.read import read_file
from cite_lsp.search.indexing.check import check_corpus
from tests.chaos.killed import stored
from tests.chaos.limited import Client, TrialError
from tests.chaos.places import again, expect, ids, named, write_drafts, write_papers
from tests.chaos.processes import run_command
from tests.chaos.trials import FaultTrial

KIND = "several processes, clocks, files that change"
EDITS = "an entry added to a .bib, killed or not"
_EDITS = 30
"""Moments at which a server is killed that adds an entry."""
OTHER = "@book{new, title={On the shore}, author={Ada Moon}, year={2020}}\n"
TEXT = "\\cite{new}\n\\bibliography{refs}\n"


def _entry(number: int) -> str:
    return f"@book{{k{number}, title={{On shore {number}}}}}\n"


def _build(now: Path, name: str) -> int:
    papers = str(now / "desk" / name)
    return run_command(["index", papers, "--encoder", "static", "--wait"], now / "home").status


def _prepare(now: Path) -> None:
    write_drafts(now / "desk", ["one", "two", "three", "four"])
    for number in range(3):
        (now / "desk" / f"papers{number}").mkdir()
        numbers = range(10 * number, 10 * number + 15)
        write_papers(now / "desk" / f"papers{number}" / "a.jsonl", numbers)
    expect(_build(now, "papers0") == 0, "no corpus to begin with")


def _together(_: Path) -> float:
    """Two servers, a build and `drafts add` in one home."""
    now = again(_prepare)
    clients = [Client(now / "desk", now / "home", now / f"server{n}.log") for n in range(2)]
    results: list[int] = []

    def build() -> None:
        results.extend(_build(now, f"papers{number}") for number in (1, 2))

    def add() -> None:
        for _ in range(3):
            arguments = ["drafts", "add", str(now / "desk")]
            results.append(run_command(arguments, now / "home").status)

    threads = [threading.Thread(target=work) for work in (build, add)]
    try:
        for client in clients:
            client.start()
        for thread in threads:
            thread.start()
        text = "\\cite{}\n\\bibliography{refs}\n"
        while any(thread.is_alive() for thread in threads):
            for number, client in enumerate(clients):
                uri = client.open(now / "desk" / f"new{number}-{time.time_ns()}.tex", text)
                expect(any("k1" in key for key in client.keys(uri, 0, 6)), "no keys are offered")
        memory = max(client.peak() for client in clients)
        for client in clients:
            client.finish()
    finally:
        for client in clients:
            client.kill()
        for thread in threads:
            thread.join()
    expect(results == [0] * 5, f"exit statuses {results}")
    folder = now / "home" / "corpora" / "papers"
    expect(ids(folder) == named(range(35)), f"not all papers: {sorted(ids(folder))}")
    faults = check_corpus(folder).faults
    expect(not faults, f"{faults}")
    there = stored(now)
    expect(there == {"one": 1, "two": 2, "three": 3, "four": 4}, f"not the drafts: {there}")
    return memory


def _rewritten(now_is: str, _: Path) -> float:
    """Complete from a .bib that another program writes, in place or anew, at any clock."""
    now = again(_prepare)
    path = now / "desk" / "refs.bib"
    client = Client(now / "desk", now / "home", now / "server.log")
    picks = random.Random(now_is)
    try:
        client.start()
        for number in range(10, 30):
            text = "".join(map(_entry, range(number + 1)))
            if now_is == "in parts":
                with path.open("w") as file:
                    for part in (text[: len(text) // 2], text[len(text) // 2 :]):
                        file.write(part)
                        file.flush()
                        uri = client.open(now / "desk" / f"half{number}{len(part)}.tex", TEXT)
                        client.keys(uri, 0, 6)
            elif now_is == "of one size":  # as before, and of the same time
                status = path.stat()
                path.write_text("".join(map(_entry, (*range(9), number))))
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            else:
                path.write_text(text)
                then = picks.randrange(1_000_000_000, 4_000_000_000)
                os.utime(path, (then, then))
            draft = now / "desk" / f"new{number}.tex"

            def is_listed(draft: Path = draft, key: str = f"k{number}") -> bool:
                uri = client.open(draft, "\\cite{}\n\\bibliography{refs}\n")
                return any(label.split()[0] == key for label in client.keys(uri, 0, 6))

            end = time.monotonic() + 10
            while not is_listed():
                expect(time.monotonic() < end, f"k{number} is not offered")
        memory = client.peak()
        client.finish()
    finally:
        client.kill()
    return memory


def _model_swapped(_: Path) -> float:
    """Use a model whose files are replaced, by others or by half of them, while a server runs."""
    now = again(_prepare)
    models = now / "home" / "models"
    models.mkdir(parents=True)
    from cite_lsp.paths import shipped_model

    own = models / "own"
    shutil.copytree(shipped_model("static"), own)
    client = Client(now / "desk", now / "home", now / "server.log")
    try:
        client.start(initializationOptions={"encoder": "own"})
        for number in range(6):
            for file in own.iterdir():
                if file.is_file():
                    data = (shipped_model("static") / file.name).read_bytes()
                    scratch = file.with_suffix(".copy")
                    scratch.write_bytes(data[: len(data) // (1 + number % 2)])
                    scratch.replace(file)
            uri = client.open(now / "desk" / f"n{number}.tex", "\\cite{}\n\\bibliography{refs}\n")
            expect(any("k1" in key for key in client.keys(uri, 0, 6)), "no keys are offered")
        memory = client.peak()
        client.finish()
    finally:
        client.kill()
    return memory


def _prepare_edit(now: Path) -> None:
    (now / "desk" / "refs.bib").write_text("".join(map(_entry, range(5))))
    (now / "desk" / "other.bib").write_text(OTHER)
    (now / "desk" / ".git").mkdir()


def _apply(edit: dict[str, Any]) -> None:
    """Apply an edit of files that are not open, as an editor does: whole or not at all."""
    for change in edit.get("documentChanges") or ():
        path = Path(change["textDocument"]["uri"].removeprefix("file://"))
        lines = path.read_text().splitlines(keepends=True)
        starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
        text = "".join(lines)
        for edit in sorted(change["edits"], key=lambda e: -e["range"]["start"]["line"]):
            places = [edit["range"][end] for end in ("start", "end")]
            start, end = (starts[at["line"]] + at["character"] for at in places)
            text = text[:start] + edit["newText"] + text[end:]
        scratch = path.with_suffix(".swp")
        scratch.write_text(text)
        scratch.replace(path)


def _add_entry(number: int, _: Path) -> float:
    """Add an entry while another program adds others; kill the server at some moment of it."""
    now = again(_prepare_edit)
    refs = now / "desk" / "refs.bib"
    options = {"bibliography": [str(now / "desk" / "other.bib")]}
    memory = 0.0
    for killed in (True, False):
        client = Client(now / "desk", now / "home", now / "server.log")
        can = {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}
        try:
            client.start(capabilities={"workspace": can}, initializationOptions=options)
            uri = client.open(now / "desk" / "draft.tex", TEXT)
            client.keys(uri, 0, 9)
            with refs.open("a") as file:  # another program
                file.write(_entry(10 + 2 * number + killed))
            client.keys(uri, 0, 9)
            arguments = {"command": "citeLsp.addEntry", "arguments": [uri, "new"]}
            if killed:
                delay = 0.3 * number / _EDITS
                threading.Timer(delay, client.process.kill).start()
            try:
                client.request("workspace/executeCommand", arguments)
            except (TrialError, OSError):
                expect(killed, "the server ended by itself")
            for edit in client.edits:
                _apply(edit)
            memory = max(memory, client.peak())
        finally:
            client.kill()
    keys = [entry.key for entry in read_file(refs).bibliography.entries]
    mine = [f"k{n}" for n in (*range(5), 10 + 2 * number, 11 + 2 * number)]
    expect(sorted(keys) == sorted([*mine, "new"]), f"lost or doubled: {keys}")
    return memory


TRIALS = (
    FaultTrial(KIND, "two servers, builds, drafts add", _together),
    *(
        FaultTrial(
            KIND, f"a .bib that is written {how}", partial(_rewritten, how), how == "in parts"
        )
        for how in ("in parts", "of one size", "at any time")
    ),
    FaultTrial(KIND, "a model that is replaced", _model_swapped),
    *(
        FaultTrial(
            EDITS, f"moment {number + 1} of {_EDITS}", partial(_add_entry, number), number == 7
        )
        for number in range(_EDITS)
    ),
)
