r"""Which files an `\input` may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path

from cite_lsp.manuscript import Inclusion, Manuscript
from cite_lsp.project.files.path_macros import expand, macros_of
from cite_lsp.project.folders import joined

MARKDOWN = (".md", ".Rmd", ".qmd", ".markdown")


def included_by(
    root: Path, path: Path, files: Mapping[Path, Manuscript]
) -> Iterator[tuple[Inclusion, Iterator[Path]]]:
    """Yield each inclusion of a file, and the paths it may mean, best first.

    `files` are the files of the draft that have been read so far. What TeX is to read and a
    program makes of a Markdown file that stands beside it may mean that one.
    """
    manuscript = files[path]
    for inclusion in manuscript.inputs:
        name = inclusion.path.strip("\"' ")
        if "\\" in name and manuscript.format == "latex":
            name = expand(name, macros_of(tuple(files.values()), root.stem))
        if not name or re.search(r"[\\#\0]", name):
            continue
        candidates = _candidates(name, manuscript.format, root, path)
        yield inclusion, (joined(folder, name) for folder, name in candidates)


@lru_cache(4096)
def _candidates(name: str, format: str, root: Path, path: Path) -> tuple[tuple[Path, str], ...]:
    """Return the folders and names that a file of a draft may mean by a path, best first."""
    names: tuple[str, ...] = (name,)
    folders: tuple[Path, ...] = (path.parent,)
    if format == "latex":
        names = (name, name + ".tex") if Path(name).suffix else (name + ".tex",)
        names += tuple(name.removesuffix(".tex") + suffix for suffix in MARKDOWN)
        folders = tuple(dict.fromkeys((root.parent, path.parent)))
    elif name.startswith("/") and format != "org":
        # The root of the project is meant, the folder of the main file as a rule.
        names, folders = (name.lstrip("/"),), (root.parent, *root.parent.parents[:2])
    elif format == "markdown":  # knitr starts from the main file
        folders = tuple(dict.fromkeys((path.parent, root.parent)))
    return tuple(product(folders, names))
