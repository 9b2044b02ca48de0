"""Processes of the product under a limit of memory, and a client that waits for nothing in vain."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ADDRESS_SPACE = 2_500_000
"""Units of 1,024 bytes that a process may take."""
PATIENCE = 25.0
"""Seconds that a request may take."""
COMMAND_PATIENCE = 50.0
"""Seconds that a command may take."""


class TrialError(AssertionError):
    """A trial went wrong: the message says what."""


PRODUCT = (sys.executable, "-m", "cite_lsp")


def _limited(*command: str) -> list[str]:
    """Return a command that has the limit.

    A shell sets it: Python code between fork and exec is not safe beside threads of gRPC.
    """
    limited = f'ulimit -v {ADDRESS_SPACE} && exec "$@"'
    return ["sh", "-c", limited, "sh", *command]


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a trial, with a home of its own."""
    return os.environ | {"CITE_LSP_HOME": str(home), "OMP_NUM_THREADS": "1"}


class Done(NamedTuple):
    """What a command came to: its exit status, what it printed, the most memory in MB."""

    status: int
    printed: str
    memory: float


def command(arguments: Sequence[str], home: Path, folder: Path) -> Done:
    """Run a command of the product to its end, or until it took too long."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            _limited(*PRODUCT, *arguments),
            cwd=folder,
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        patience = threading.Timer(COMMAND_PATIENCE, process.kill)
        patience.start()
        _, status, used = os.wait4(process.pid, 0)
        patience.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        printed = output.read().decode(errors="replace")
    return Done(process.returncode, printed, used.ru_maxrss / 1000)


def _has_bytes(message: object) -> bool:
    """Whether all texts of a message can be written: strict clients refuse half a character."""
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


class Client:
    """A client of a server of its own, as bare as can be: it may send anything."""

    def __init__(
        self,
        folder: Path,
        home: Path,
        log: Path | None = None,
        server: Sequence[str] = (*PRODUCT, "serve"),
    ) -> None:
        self.folder = folder
        self.log = log or home / "stderr.txt"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as errors:
            self.process = subprocess.Popen(
                _limited(*server),
                cwd=folder,
                env=environment(home),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self.received: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.notices: list[str] = []
        self.popups: list[str] = []
        self.edits: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.findings: dict[str, list[str]] = {}
        self._answers: dict[Any, dict[str, Any]] = {}
        self._count = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        out = self.process.stdout
        assert out is not None
        while line := out.readline():
            length = 0
            while line.strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                line = out.readline()
            message = json.loads(out.read(length))
            if not _has_bytes(message):
                self.faults.append(f"half a character in {message.get('method', 'an answer')}")
            self.received.put(message)
        self.received.put(None)

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        data = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def request(self, method: str, params: object = None, **more: object) -> dict[str, Any]:
        """Send a request and return the answer, a result or an error.

        Raises:
            TrialError: there is none in time.
        """
        self._count += 1
        self.send({"id": self._count, "method": method, "params": params, **more})
        return self.answer(self._count, method)

    def answer(self, identifier: object, what: str) -> dict[str, Any]:
        """Return the answer to a request that was sent.

        Raises:
            TrialError: there is none in time.
        """
        self.wait(lambda: identifier in self._answers, f"no answer to {what}")
        return self._answers.pop(identifier)

    def wait(self, done: Callable[[], bool], complaint: str) -> None:
        """Take messages until something is so.

        Raises:
            TrialError: it is not in time.
        """
        end = time.monotonic() + PATIENCE
        while not done():
            try:
                message = self.received.get(timeout=max(end - time.monotonic(), 0.01))
            except queue.Empty:
                raise TrialError(f"{complaint} after {PATIENCE:.0f} s") from None
            if message is None:
                raise TrialError(f"{complaint}: the server ended ({self.process.wait(5)})")
            self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        params: Any = message.get("params")
        if method is None:
            self._answers[message.get("id")] = message
        elif "id" in message:
            result: object = None
            if method == "workspace/configuration":
                result = [None] * len(params["items"])
            elif method == "workspace/applyEdit":
                self.edits.append(params["edit"])
                result = {"applied": True}
            self.send({"id": message["id"], "result": result})
        elif method == "textDocument/publishDiagnostics":
            said = [diagnostic["message"] for diagnostic in params["diagnostics"]]
            self.findings[params["uri"]] = said
        elif method in ("window/showMessage", "window/logMessage"):
            self.notices.append(params["message"])
            if method == "window/showMessage":
                self.popups.append(params["message"])

    def start(self, **params: object) -> dict[str, Any]:
        """Begin the session."""
        workspace = {"uri": self.folder.as_uri(), "name": "trial"}
        hello: dict[str, object] = {
            "processId": None,
            "capabilities": {},
            "workspaceFolders": [workspace],
        }
        answer = self.request("initialize", hello | params)
        self.notify("initialized", {})
        return answer

    def open(self, path: Path, text: str) -> str:
        """Open a document, and return its URI."""
        uri = path.as_uri()
        document = {"uri": uri, "languageId": "", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return uri

    def keys(self, uri: str, line: int, character: int) -> list[str]:
        """Return the labels that a completion offers.

        Raises:
            TrialError: it is not answered, or with an error.
        """
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        answer = self.request("textDocument/completion", place)
        if "error" in answer:
            raise TrialError(f"completion: {answer['error']['message']}")
        result = answer["result"] or {"items": []}
        items = result["items"] if isinstance(result, dict) else result
        return [item["label"] for item in items]

    def peak(self) -> float:
        """Return the most memory that the server held, in MB."""
        status = Path(f"/proc/{self.process.pid}/status")
        try:
            lines = status.read_text().splitlines()
        except OSError:
            return 0.0
        return next((int(line.split()[1]) / 1000 for line in lines if "VmHWM" in line), 0.0)

    def finish(self) -> str:
        """End the session, and return what the server wrote on stderr.

        Raises:
            TrialError: it does not end, or in an error.
        """
        self.request("shutdown")
        self.notify("exit", None)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise TrialError("the server does not end") from None
        log = self.log.read_text(errors="replace")
        if self.faults:
            raise TrialError(self.faults[0])
        if status != 0:
            raise TrialError(f"the server ended with {status}")
        if "Traceback" in log:
            raise TrialError(f"a traceback on stderr: {log.strip().splitlines()[-1]}")
        return log

    def kill(self) -> None:
        """End the server whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
