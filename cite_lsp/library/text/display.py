"""Papers and paths as text for display in lists and cards; search and files use the original."""

from __future__ import annotations

import os
from pathlib import Path

from attrs import evolve

from cite_lsp.library.text.latex_decode import readable
from cite_lsp.library.text.people import untied
from cite_lsp.paper import Paper


def shown(paper: Paper) -> Paper:
    """Return a paper whose title and abstract are text without LaTeX, and its names without ties.

    The family names cannot be extracted from the result: use `paper` itself to cite by name.
    """
    return evolve(
        paper,
        title=readable(paper.title),
        abstract=readable(paper.abstract),
        authors=tuple(map(untied, paper.authors)),
    )


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters; "…" stands for the rest of a longer one."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def seen_from(file: Path, path: Path) -> str:
    """Return a path as seen from the folder of a file: others may have its name."""
    try:
        return Path(os.path.relpath(path, file.parent)).as_posix()
    except ValueError:  # on another drive
        return path.name
