"""The audit of the packages that are installed: what is found fails a run, a lost network none."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

AUDIT = Path(__file__).parents[1] / ".ci" / "audit.py"
pytestmark = pytest.mark.skipif(not AUDIT.exists(), reason="the checks are not part of this copy")

FLAW = {"id": "PYSEC-2026-1", "fix_versions": ["1.1"], "aliases": [], "description": "x"}
SOUND = {"name": "attrs", "version": "26.1.0", "vulns": []}


def audited(tmp_path: Path, said: str, status: int = 0) -> tuple[int, str]:
    """Run it with a pip-audit that says something, where there is no network."""
    program = tmp_path / "pip-audit"
    program.write_text(f"#!{sys.executable}\nimport sys\nprint({said!r})\nsys.exit({status})\n")
    program.chmod(0o755)
    done = subprocess.run(
        [sys.executable, str(AUDIT), str(program)],
        capture_output=True,
        text=True,
        env={"https_proxy": "http://127.0.0.1:9"},
    )
    return done.returncode, done.stdout


def report(*packages: Mapping[str, object]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


def test_a_known_vulnerability_fails_a_run(tmp_path: Path) -> None:
    bad = {"name": "numpy", "version": "1.0", "vulns": [FLAW]}
    status, said = audited(tmp_path, report(SOUND, bad), status=1)
    assert (status, said) == (1, "numpy 1.0: PYSEC-2026-1, mended in 1.1\n")


def test_nothing_known_is_nothing_said(tmp_path: Path) -> None:
    assert audited(tmp_path, report(SOUND)) == (0, "")


def test_what_pypi_does_not_tell_is_said(tmp_path: Path) -> None:
    unknown = {"name": "own", "skip_reason": "Dependency not found on PyPI"}
    status, said = audited(tmp_path, report(SOUND, unknown))
    assert status == 0 and said.startswith("NOT AUDITED") and "1 of 2" in said


def test_without_a_network_no_run_fails(tmp_path: Path) -> None:
    status, said = audited(tmp_path, "", status=1)
    assert status == 0 and said.startswith("NOT AUDITED")
