"""The independent scorer, where it is at hand beside the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCORER = Path(__file__).parents[2].parent / "shared" / "tools" / "score.py"


def score(contexts: Path, run: Path, relevant: str = "cited") -> dict[str, Any]:
    """Score a run with the independent scorer; skips the test where there is none."""
    if not SCORER.is_file():
        pytest.skip(f"needs the independent scorer, {SCORER}")
    command = [sys.executable, str(SCORER), str(contexts), str(run), "--relevant", relevant]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures
