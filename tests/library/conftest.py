from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, DiskReader, Project, open_project, parse_bibliography

DRAFTS = Path(__file__).parents[2].parent / "shared" / "data" / "manuscripts" / "dev"


@pytest.fixture(scope="session")
def drafts() -> Path:
    if not DRAFTS.is_dir():
        pytest.skip("the real drafts (../shared/data/manuscripts/dev) are not on this machine")
    return DRAFTS


@pytest.fixture
def parsed() -> Callable[[str], Bibliography]:
    return lambda text: parse_bibliography(text, Path("/drafts/refs.bib"))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file below the test's folder and return its path."""

    def write_file(name: str, content: str | bytes = "") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


@pytest.fixture
def no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no bibliography be found but below the test's folder."""
    for name in ("BIBINPUTS", "TEXMFHOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[str], Project]:
    """Open the project of a file, named from the test's folder, which is the workspace."""
    return lambda name: open_project(tmp_path / name, read=DiskReader(), workspace=tmp_path)
