from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import Project, ProjectCache


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[str], Project]:
    """Open the project of a file, named from the test's folder, which is the workspace."""
    return lambda name: ProjectCache().open(
        tmp_path / name, read=FilesOnDisk().read, workspace=tmp_path
    )
