"""A record of the log is a line, whatever is in it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cite_lsp.server.rpc.log_lines import LogLines
from tests.server.editor_session import PATIENCE
from tests.server.rpc.test_stdio import GOODBYE, HELLO, framed


def record(message: str, *, error: bool = False) -> logging.LogRecord:
    raised = None
    if error:
        try:
            raise ValueError("first\nsecond \x1b[31m")
        except ValueError:
            raised = sys.exc_info()
    return logging.LogRecord("cite_lsp.x", logging.ERROR, "x.py", 1, message, None, raised)


def test_a_path_of_anybody_begins_no_line_of_its_own() -> None:
    line = LogLines().format(record("/clone/a\nERROR cite_lsp.x: \u202eowned"))
    assert line == "ERROR cite_lsp.x: /clone/a ERROR cite_lsp.x: \ufffdowned"


def test_an_error_is_its_name_and_place() -> None:
    line = LogLines().format(record("it failed", error=True))
    assert line.startswith("ERROR cite_lsp.x: it failed: ValueError: first second \ufffd[31m (")
    assert line.endswith(")") and "test_log_lines.py:" in line and "\n" not in line


def test_who_asks_for_details_gets_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("cite_lsp"), "level", logging.DEBUG)
    logging.getLogger("cite_lsp").manager._clear_cache()  # type: ignore[attr-defined]
    text = LogLines().format(record("it failed", error=True))
    assert text.startswith("ERROR cite_lsp.x: it failed\nTraceback")


FAILING = """
from cite_lsp.server.app import create_server, run

server = create_server()

def fail(ls, params):
    raise LookupError("first\\nsecond")

server.feature("test/fails")(fail)
run(server)
"""


def test_a_fault_of_the_server_is_a_line_in_the_log_and_one_pop_up(tmp_path: Path) -> None:
    requests = framed("test/fails", 5) + framed("test/fails", 6)
    notifications = framed("test/fails") + framed("test/fails")
    done = subprocess.run(
        [sys.executable, "-c", FAILING],
        input=HELLO + requests + notifications + GOODBYE,
        capture_output=True,
        env={**os.environ, "CITE_LSP_HOME": str(tmp_path)},
        timeout=PATIENCE,
    )
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 4 and all("LookupError: first second" in line for line in lines)
    assert done.stdout.count(b"window/showMessage") == 1
    assert done.stdout.count(b'"code": -32603') == 2
    assert b"Traceback" not in done.stdout
