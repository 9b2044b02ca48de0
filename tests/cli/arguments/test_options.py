"""What a command takes is declared without what does its work."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cite_lsp.cli import COMMANDS

FOR_DEVELOPERS = {"eval", "train"}
"""Commands whose options are those of their tasks and recipes."""
WORK = ("numpy", "onnxruntime", "pygls", "cite_lsp.library", "cite_lsp.manuscript")


@pytest.mark.parametrize("command", sorted({*COMMANDS} - FOR_DEVELOPERS))
def test_help_and_wrong_usage_need_nothing_that_does_the_work(command: str) -> None:
    program = f"""
import sys
from cite_lsp.cli import main
try:
    main([{command!r}, "--no-such-option"])
except SystemExit as ended:
    assert ended.code == 2
print(*(name for name in {WORK} if name in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
    assert f"usage: cite-lsp {command}" in done.stderr
