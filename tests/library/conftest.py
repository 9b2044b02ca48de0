from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, parse_bibliography

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
