"""Real server processes that come out of one that has everything ready.

Until a server ranks by meaning, it takes seconds of processor time for imports, patterns, graphs
and the Chinese dictionary, in each of the hundreds of servers that tests start. Here a template
process has them ready once, and forks. A server is a process of its own all the same, with its own
pipes, folder and environment: `launch_server.py`, which the client starts in its place, hands its
own on to it, passes signals on, and ends with its exit status. Tests whose subject is the process,
or its start, start `SERVE`.
"""

from __future__ import annotations

import gc
import importlib
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path
from select import select

from cite_lsp.cli import main
from cite_lsp.encode.kinds import onnx_session
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.match.pinyin import PinyinReader
from cite_lsp.server.rpc import quick_types
from cite_lsp.storage.compressed_files import stored_path
from cite_lsp.translate import segment
from tests.shipped_graphs import MODELS, loaded_once

ROOT = Path(__file__).parents[1]
SERVE = (sys.executable, "-m", "cite_lsp", "serve")
IMPORTED = (
    "cite_lsp.cli.serve_command",
    "cite_lsp.cli.arguments.options",
    "cite_lsp.server.app",
    "cite_lsp.recommend.engine",
    "cite_lsp.recommend.models",
    "cite_lsp.recommend.corpus.merge",
    "cite_lsp.encode.load",
    "cite_lsp.encode.kinds.onnx",
    "cite_lsp.encode.kinds.bilingual_encoder",
    "cite_lsp.rules.missing_citations",
)
"""What a server imports until it ranks by meaning."""
GRAPHS = (
    *(
        "all-MiniLM-L6-v2",
        "query-encoder",
        "library-query-encoder",
        "citation-worthiness",
        "worthiness-encoder",
    ),
    *("library-ranker", "corpus-ranker", "late-interaction"),
)
"""What it loads until then."""
_LAUNCHER = Path(__file__).with_name("launch_server.py")


def serve() -> tuple[str, ...]:
    """Return the command line of the server, of which this process has the template."""
    if sys.platform != "linux":  # elsewhere a fork is not safe, or there is none
        return SERVE
    address, _ = _start_template()
    return (sys.executable, "-I", "-S", str(_LAUNCHER), address, "serve")


@cache
def _start_template() -> tuple[str, subprocess.Popen[bytes]]:
    """Return where the template listens, and its process.

    It ends with this one, which holds the other end of its stdin.
    """
    address = os.path.join(tempfile.mkdtemp(prefix="cite-lsp-"), "socket")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        template = subprocess.Popen(
            [sys.executable, "-m", "tests.warm_server", str(listening.fileno()), address],
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # as a server sets it before NumPy
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listening.fileno()],
        )
    return address, template


class _Request:
    """What a launcher hands on: its streams, folder, arguments, environment, limit of memory."""

    def __init__(self, connection: socket.socket) -> None:
        length, self.streams, _, _ = socket.recv_fds(connection, 4, 3)
        with connection.makefile("rb") as read:
            request = read.read(int.from_bytes(length, "little"))
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        (launcher,) = struct.unpack_from("i", credentials)
        self.memory = resource.prlimit(launcher, resource.RLIMIT_AS)
        self.folder, count, *rest = map(os.fsdecode, request.split(b"\0"))
        self.arguments = rest[: int(count)]
        self.environment = dict(variable.split("=", 1) for variable in rest[int(count) :])


def _template(listening: socket.socket, address: str) -> None:
    """Fork a server for each launcher that connects, until stdin is closed."""
    before = dict(os.environ)
    gc.disable()
    quick_types.load()  # as a server does that starts by itself
    for module in IMPORTED:
        importlib.import_module(module)
    # What importing the package has set is set in a server that starts by itself as well.
    changed = {name: text for name, text in os.environ.items() if before.get(name) != text}
    with tempfile.TemporaryDirectory() as home:
        os.environ["CITE_LSP_HOME"] = home
        _load()
    gc.freeze()
    assert len(os.listdir("/proc/self/task")) == 1, "a fork has none of the other threads"
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for what is forked here
    while listening.fileno() in select([listening.fileno(), 0], [], [])[0]:
        connection, _ = listening.accept()
        if os.fork() == 0:
            try:
                listening.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _watch(connection, changed)
            finally:
                os._exit(0)
        connection.close()
    os.unlink(address)
    os.rmdir(os.path.dirname(address))


def _load() -> None:
    """Load what a server loads that has a Chinese title in its library."""
    segment.warm()
    PinyinReader(["李"])
    vars(onnx_session)["InferenceSession"] = loaded_once(onnx_session.InferenceSession)
    for name in GRAPHS:
        onnx_session.open_session(stored_path(MODELS / name / "model.onnx"))
    lazy = type(lazy_re(""))
    for module in list(sys.modules.values()):
        for value in list(vars(module).values()):
            if isinstance(value, lazy):
                assert value.flags is not None  # compiled, to be looked at


def _watch(connection: socket.socket, changed: dict[str, str]) -> None:
    """Fork a server, end it with its launcher, and tell the launcher how it ended."""
    request = _Request(connection)
    server = os.fork()
    if server == 0:
        connection.close()
        _become(request, changed)
    for stream in request.streams:
        os.close(stream)
    connection.sendall(server.to_bytes(4, "little"))
    ended = os.pidfd_open(server)
    if ended not in select([ended, connection.fileno()], [], [])[0]:
        os.kill(server, signal.SIGKILL)
    _, status = os.waitpid(server, 0)
    with suppress(OSError):  # the launcher has been killed
        connection.sendall((os.waitstatus_to_exitcode(status) & 0xFF).to_bytes(1, "little"))


def _become(request: _Request, changed: dict[str, str]) -> None:
    """Be the server that the launcher stands for."""
    status = 1
    try:
        for number, stream in enumerate(request.streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin, sys.stdout = open(0, encoding="utf-8"), open(1, "w", encoding="utf-8")
        sys.stderr = open(2, "w", buffering=1, encoding="utf-8")
        resource.setrlimit(resource.RLIMIT_AS, request.memory)
        os.chdir(request.folder)
        os.environ.clear()
        os.environ.update(request.environment | changed)
        sys.argv[1:] = request.arguments
        status = main(request.arguments)
    except SystemExit as left:
        status = int(left.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _template(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])
