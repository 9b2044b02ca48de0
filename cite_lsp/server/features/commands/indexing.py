"""Building a corpus from the editor: `citeLsp.index` [sources, {corpus?, encoder?}?].

The command `cite-lsp index` does it in a process of its own, which the writer can call off and
which goes on where it was when started again; here its progress is reported. The answer is its
summary, null where it was called off or could not be done.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from attrs import frozen
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.uris import to_fs_path

from cite_lsp.server.rpc.commands import INDEX_COMMAND
from cite_lsp.server.session.progress import ProgressBar
from cite_lsp.server.session.server import CiteServer

_GLANCE = 0.2
"""Seconds between two looks whether the writer has called it off."""
_PATIENCE = 5.0
"""Seconds that a process has to end when terminated."""
_STAGES = {
    "papers": "writing papers",
    "encoding": "embedding",
    "words": "indexing words",
    "contexts": "placing citations",
}


@frozen
class IndexRequest:
    """What is to be indexed: paths, and options of the command line."""

    sources: tuple[str, ...]
    corpus: str = "papers"
    encoder: str = "auto"

    @property
    def command(self) -> tuple[str, ...]:
        """The command that does it; no module of the folder it is started in is taken for one."""
        options = ("--corpus", self.corpus, "--encoder", self.encoder, "--json", "--json-progress")
        return (sys.executable, "-P", "-m", "cite_lsp", "index", *options, "--", *self.sources)


def register(server: CiteServer) -> None:
    """Answer `citeLsp.index`."""

    @server.command(INDEX_COMMAND)
    async def index_command(ls: CiteServer, *arguments: object) -> dict[str, Any] | None:
        return await build(ls, order(arguments))


def order(arguments: tuple[object, ...]) -> IndexRequest:
    """Return what the arguments of the command ask for; sources are paths or `file:` URIs.

    Raises:
        JsonRpcInvalidParams: they are not that; the message says what is expected.
    """
    match arguments:
        case (list() as sources,) | (list() as sources, None):
            options: object = {}
        case (list() as sources, dict() as options):
            pass
        case _:
            raise JsonRpcInvalidParams("expected the arguments [sources, {corpus?, encoder?}?]")
    option_names = {"corpus", "encoder"}
    if (
        not all(isinstance(source, str) for source in sources)
        or not isinstance(options, dict)
        or not all(
            name in option_names and isinstance(value, str) for name, value in options.items()
        )
    ):
        raise JsonRpcInvalidParams("expected the arguments [sources, {corpus?, encoder?}?]")
    return IndexRequest(tuple(_path(source) for source in sources), **options)


def _path(source: str) -> str:
    return (to_fs_path(source) or source) if source.startswith("file:") else source


async def build(ls: CiteServer, request: IndexRequest) -> dict[str, Any] | None:
    """Run the command and report its progress; returns its summary, None without one."""
    bar = ProgressBar(ls, f"Indexing {request.corpus}")
    opening = asyncio.create_task(bar.open())
    ls.status.indexing(f"{request.corpus}: reading")
    try:
        async with running_process(request.command) as process:
            assert process.stdout is not None  # a pipe, as requested
            summary = asyncio.create_task(process.stdout.read())
            telling = asyncio.create_task(_report_progress(ls, request, process, bar))
            while not telling.done():
                await asyncio.wait([telling], timeout=_GLANCE)
                if bar.cancelled:
                    telling.cancel()
                    summary.cancel()
                    return None
            status = await process.wait()
            if status == 0:
                result: dict[str, Any] = json.loads(await summary)
                return result
            summary.cancel()
            reason = telling.result() or f"the process ended with status {status}"
            message = types.ShowMessageParams(types.MessageType.Error, f"cite-lsp: {reason}")
            ls.window_show_message(message)
            return None
    finally:
        opening.cancel()
        bar.close()
        ls.status.indexed()


@asynccontextmanager
async def running_process(command: Sequence[str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a process; leaving ends it, if it has not ended."""
    pipe = asyncio.subprocess.PIPE
    # On Windows it cannot make itself give way to others, as it does elsewhere.
    flags = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        creationflags=flags,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), _PATIENCE)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()


async def _report_progress(
    ls: CiteServer, request: IndexRequest, process: asyncio.subprocess.Process, bar: ProgressBar
) -> str:
    """Report the progress until the process ends; returns its last line that is no progress."""
    assert process.stderr is not None  # a pipe, as requested
    last = ""
    async for line in process.stderr:
        text = line.decode("utf-8", "replace").strip()
        try:
            step = json.loads(text)
            stage, done, total = str(step["stage"]), int(step["done"]), int(step["total"])
        except (ValueError, TypeError, KeyError):
            last = text.removeprefix("cite-lsp: ") or last
            continue
        counted = f"{done:,} of {total:,}" if total else f"{done:,}"
        counted += "" if stage == "contexts" else " papers"
        stage = _STAGES.get(stage, stage)
        ls.status.indexing(f"{request.corpus}: {stage}, {counted}")
        bar.report(done, total, f"{stage}, {counted}")
    return last
