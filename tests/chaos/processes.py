"""Commands of the product in processes that end in the middle: killed, or out of disk."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import frozen

from tests.chaos.limited import PATIENCE, TrialError

_CONTEXT: Any = multiprocessing.get_context("forkserver")
"""A server that has imported the product and forks: hundreds of processes begin at once."""
_CONTEXT.set_forkserver_preload(["cite_lsp.cli.index_command", "tests.chaos.processes"])
_CHANGES = frozenset(
    "os.chmod os.mkdir os.remove os.rename os.rmdir os.truncate os.utime shutil.rmtree "
    "sqlite3.connect".split()
)
"""Audit events of Python that change files; that of opening one to write it is another."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


@frozen
class Ending:
    """How a process ends early.

    Attributes:
        change: It is killed before its so manieth change of a file; 0: never.
        seconds: It is killed after so long; 0: never.
        bytes: The size that its files may have, as where a disk is full; 0: any.
    """

    change: int = 0
    seconds: float = 0.0
    bytes: int = 0


@frozen
class Outcome:
    """What came of a process: its exit status, negative where it was killed, and what it wrote.

    `seconds` is how long it took. `changes` are those of files that it began, `memory` is what it
    held at most, in MB; both are 0 where it was killed.
    """

    status: int
    said: str
    seconds: float
    changes: int = 0
    memory: float = 0.0


def run_command(arguments: Sequence[str], home: Path, ending: Ending = Ending()) -> Outcome:
    """Run a command of the product.

    Raises:
        TrialError: it does not end, or in a traceback.
    """
    return run_function(_command, home, ending, tuple(arguments))


def run_function(
    function: Callable[..., int],
    home: Path,
    ending: Ending = Ending(),
    *arguments: object,
) -> Outcome:
    """Run a function of a module in a process of its own; it returns an exit status.

    Raises:
        TrialError: it does not end, or in a traceback.
    """
    printed, printing = _CONTEXT.Pipe(duplex=False)
    notes, noting = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(
        target=_run, args=(function, arguments, home, printing, noting, ending)
    )
    begin = time.monotonic()
    process.start()
    printing.close()
    noting.close()
    said: list[bytes] = []
    reading = threading.Thread(target=_read, args=(printed, said), daemon=True)
    reading.start()
    process.join(ending.seconds or 4 * PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
        if not ending.seconds:
            raise TrialError(f"no end after {4 * PATIENCE:.0f} s")
    seconds = time.monotonic() - begin
    reading.join(PATIENCE)
    text = b"".join(said).decode(errors="replace")
    if "Traceback" in text:
        raise TrialError(f"a traceback: {text.strip().splitlines()[-1]}")
    changes, memory = notes.recv() if process.exitcode >= 0 else (0, 0.0)
    return Outcome(process.exitcode, text, seconds, changes, memory)


def _read(printed: Any, parts: list[bytes]) -> None:  # noqa: ANN401 - a connection, untyped
    with suppress(OSError):
        while part := os.read(printed.fileno(), 1 << 16):
            parts.append(part)


def _command(arguments: Sequence[str]) -> int:
    from cite_lsp.cli import main

    try:
        return main(list(arguments))
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 1


def _run(
    function: Callable[..., int],
    arguments: Sequence[object],
    home: Path,
    printing: Any,  # noqa: ANN401 - a connection, untyped
    noting: Any,  # noqa: ANN401 - a connection, untyped
    ending: Ending,
) -> None:
    os.environ["CITE_LSP_HOME"] = str(home)
    os.dup2(printing.fileno(), 1)
    os.dup2(printing.fileno(), 2)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", buffering=1) for number in (1, 2))
    if ending.bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (ending.bytes, resource.RLIM_INFINITY))
    changes = 0

    def count(event: str, details: tuple[Any, ...]) -> None:
        nonlocal changes
        if event in _CHANGES or (event == "open" and (details[2] or 0) & _WRITING):
            changes += 1
            if changes == ending.change:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    try:
        status = function(*arguments)
    except BaseException:  # it is read by whoever started the process
        traceback.print_exc()
        status = 1
    noting.send((changes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000))
    sys.exit(status)
