"""The demo that ships: its files fit together, and it fails when the server does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "examples" / "demo.py"
DRAFT = (ROOT / "examples" / "demo" / "paper.tex").read_text(encoding="utf-8")
LIBRARY = (ROOT / "examples" / "demo" / "references.bib").read_text(encoding="utf-8")
KEYS = re.findall(r"^@\w+\{(.+),$", LIBRARY, flags=re.MULTILINE)

EXPECTED = ("gururangan2020dont", "see2017get", "strubell2019energy", "bojanowski2017enriching")
"""What a reader of the draft would cite in its three empty citations and its uncited sentence."""


def run_demo(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(DEMO)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


def test_every_key_that_the_draft_cites_is_in_the_library_once() -> None:
    cited = [key for keys in re.findall(r"\\citep\{([^}]+)\}", DRAFT) for key in keys.split(",")]
    assert len(cited) >= 12
    assert set(cited) <= set(KEYS)
    assert len(KEYS) == len(set(KEYS))


def test_what_is_to_be_recommended_is_in_the_library_and_not_yet_in_the_draft() -> None:
    assert set(EXPECTED) <= set(KEYS)
    assert not [key for key in EXPECTED if key in DRAFT]


def test_the_library_names_its_source_and_licence() -> None:
    header = LIBRARY.partition("@")[0]
    assert "ACL Anthology" in header
    assert "creativecommons.org/licenses/by/4.0" in header


@pytest.mark.slow
def test_the_demo_shows_the_right_paper_first_with_a_reason() -> None:
    done = run_demo(ROOT, PYTHONUTF8="1")
    assert done.returncode == 0, done.stderr
    assert "unknown method" not in done.stderr
    assert re.findall(r"^  1  (\S+).*\n {7}\S", done.stdout, flags=re.MULTILINE) == list(
        EXPECTED[:3]
    )
    added = re.findall(r"^    \+.*\\citep\{(\w+)\}", done.stdout, flags=re.MULTILINE)
    assert added == [EXPECTED[3]]
    assert '"devlin2019bert" hardly fits here, "karpukhin2020dense"' in done.stdout


def test_the_demo_fails_when_the_server_ends(tmp_path: Path) -> None:
    package = tmp_path / "cite_lsp"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    done = run_demo(tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "the demo failed" in done.stderr
