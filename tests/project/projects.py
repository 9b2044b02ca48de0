"""Projects that tests write and open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cite_lsp.project.project import Project

Write = Callable[..., Path]
Open = Callable[..., Project]

MAIN = "\\documentclass{article}\n\\begin{document}\n%s\n\\end{document}\n"


def names(project: Project) -> list[str]:
    return [path.name for path, _ in project.files]


def bibliographies(project: Project, folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in project.bibliographies]
