from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.session import BIBLIOGRAPHY


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A writer's folder with a bibliography of six entries."""
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    return tmp_path
