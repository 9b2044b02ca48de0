"""How long a writer waits for the server: a real process, a library of 300 entries, a draft.

    python benchmarks/latency.py [--entries N] [--runs N] [--json]

Measured are the answer to `initialize` of a fresh process, the first completion ranked by meaning
in a fresh process whose library was embedded before, and completions while ten keys are typed. The
library is made of templates, so every run of every machine measures the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

TARGETS = {"initialize": 1.0, "first_semantic": 2.5, "warm_median": 0.040}
"""Seconds; what the product promises on a laptop."""

NAMES = {
    "initialize": "fresh process to answered initialize",
    "first_semantic": "fresh process to first completion by meaning",
    "warm_median": "completion while typing, median",
    "warm_p95": "completion while typing, 95th percentile",
}

SUBJECTS = "attention retrieval citation translation parsing summarisation vision speech".split()
METHODS = "transformers graphs kernels embeddings sampling distillation boosting trees".split()
AIMS = "ranking scaling pretraining robustness fairness compression search evaluation".split()
TYPED = "retrieval "


def library(entries: int) -> str:
    """Return a bibliography of templates."""
    records = []
    for number, (subject, method, aim) in zip(
        range(entries), product(SUBJECTS, METHODS, AIMS), strict=False
    ):
        records.append(
            f"@article{{key{number},\n"
            f"  title = {{{method.title()} for {aim} in {subject}, part {number}}},\n"
            f"  author = {{Author{number % 97}, Ann and Writer{number % 31}, Will}},\n"
            f"  journal = {{Journal of {subject}}},\n"
            f"  year = {{{1990 + number % 35}}},\n"
            f"  abstract = {{We study {subject} with {method}. The aim is {aim}, on which earlier "
            f"work with {METHODS[number % 8]} had little to say. On {number + 3} data sets the "
            f"approach is compared with {AIMS[number % 8]} of {SUBJECTS[number % 8]}, and the "
            "differences are explained by how much of the text a reader needs.},\n}\n"
        )
    return "\n".join(records)


def draft(entries: int) -> str:
    """Return a draft of some sixty paragraphs, which ends in the middle of a sentence."""
    paragraphs = [
        f"The {SUBJECTS[number % 8]} of long documents rests on {METHODS[number % 7]} "
        f"\\citep{{key{number * 7 % entries}}}, and {AIMS[number % 5]} was said to follow from it "
        f"\\citep{{key{number * 11 % entries}, key{number * 13 % entries}}}. What remains is open."
        for number in range(60)
    ]
    sections = [
        f"\\section{{Part {number}}}\n" + "\n\n".join(paragraphs[number : number + 10])
        for number in range(0, 60, 10)
    ]
    return (
        "\\documentclass{article}\n\\usepackage{natbib}\n\\begin{document}\n"
        + "\n\n".join(sections)
        + "\n\nSearching for related work, dense vectors find what words miss \\citep{"
    )


class Session:
    """A fresh server process and the seconds since it was started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.text = (folder / "draft.tex").read_text(encoding="utf-8")
        self.version = 1
        self.client = LanguageClient("latency", "1")
        self.states: asyncio.Queue[str] = asyncio.Queue()
        self.started = 0.0

    @property
    def uri(self) -> str:
        """The URI of the draft."""
        return (self.folder / "draft.tex").as_uri()

    @property
    def elapsed(self) -> float:
        """Seconds since the process was started."""
        return time.perf_counter() - self.started

    async def start(self) -> float:
        """Start the process; return the seconds until `initialize` was answered."""
        self.client.feature("citeLsp/status")(lambda status: self.states.put_nowait(status.state))
        environment = {**os.environ, "CITE_LSP_HOME": str(self.folder / "home")}
        self.started = time.perf_counter()
        await self.client.start_io(sys.executable, "-m", "cite_lsp", "serve", env=environment)
        await self.client.initialize_async(
            types.InitializeParams(types.ClientCapabilities(), root_uri=self.folder.as_uri())
        )
        answered = self.elapsed
        self.client.initialized(types.InitializedParams())
        item = types.TextDocumentItem(self.uri, "latex", self.version, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return answered

    async def ready(self) -> None:
        """Wait until papers are ranked by meaning.

        Raises:
            RuntimeError: they cannot be.
        """
        while (state := await asyncio.wait_for(self.states.get(), 300)) != "ready":
            if state == "error":
                raise RuntimeError("the server cannot rank by meaning: see its log above")

    async def complete(self) -> int:
        """Ask for completions at the end of the draft; return how many there are."""
        completion = await self.client.text_document_completion_async(
            types.CompletionParams(types.TextDocumentIdentifier(self.uri), self.end)
        )
        return len(completion.items) if isinstance(completion, types.CompletionList) else 0

    @property
    def end(self) -> types.Position:
        """The position behind the last character."""
        return types.Position(self.text.count("\n"), len(self.text) - self.text.rfind("\n") - 1)

    def type(self, letter: str) -> None:
        """Type one letter at the end of the draft."""
        place = types.Range(self.end, self.end)
        self.version += 1
        self.text += letter
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        change = types.TextDocumentContentChangePartial(place, letter)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(identifier, [change])
        )

    async def stop(self) -> None:
        """Let the process end."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]


async def measure(folder: Path, runs: int) -> dict[str, float]:
    """Return the seconds of everything measured; of several runs the median."""
    first = Session(folder)
    await first.start()
    await first.ready()  # embeds the library, which is then kept on disk
    await first.stop()
    initialized, semantic, warm = [], [], []
    for _ in range(runs):
        session = Session(folder)
        initialized.append(await session.start())
        await session.ready()
        if not await session.complete():
            raise RuntimeError("the server proposes nothing: the draft or the library is broken")
        semantic.append(session.elapsed)
        for letter in TYPED:
            started = time.perf_counter()
            session.type(letter)
            await session.complete()
            warm.append(time.perf_counter() - started)
        await session.stop()
    return {
        "initialize": statistics.median(initialized),
        "first_semantic": statistics.median(semantic),
        "warm_median": statistics.median(warm),
        "warm_p95": statistics.quantiles(warm, n=20)[-1],
    }


def table(seconds: dict[str, float]) -> str:
    """Return the figures beside their targets."""
    rows = [f"{'':46}{'measured':>10}{'target':>10}"]
    for name, value in seconds.items():
        target = f"{TARGETS[name] * 1000:7.0f} ms" if name in TARGETS else ""
        rows.append(f"{NAMES[name]:46}{value * 1000:7.0f} ms{target:>10}")
    return "\n".join(rows)


def main() -> int:
    """Measure and print; the status is 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=300, help="entries of the library (≤ 512)")
    parser.add_argument("--runs", type=int, default=3, help="fresh processes to measure")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "library.bib").write_text(library(options.entries), encoding="utf-8")
        (folder / "draft.tex").write_text(draft(options.entries), encoding="utf-8")
        seconds = asyncio.run(measure(folder, options.runs))
    missed = [name for name, target in TARGETS.items() if seconds[name] > target]
    if options.json:
        print(json.dumps({"seconds": seconds, "targets": TARGETS, "missed": missed}, indent=2))
    else:
        print(table(seconds))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
