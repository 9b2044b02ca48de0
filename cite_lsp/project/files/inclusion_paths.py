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
        written = inclusion.path.strip("\"' ")
        if "\\" in written and manuscript.format == "latex":
            written = expand(written, macros_of(tuple(files.values()), root.stem))
        if not written or re.search(r"[\\#\0]", written):
            continue
        candidates = _candidates(written, manuscript.format, root, path)
        yield inclusion, (joined(folder, name) for folder, name in candidates)


@lru_cache(4096)
def _candidates(written: str, format: str, root: Path, path: Path) -> tuple[tuple[Path, str], ...]:
    """Return the folders and names that a file of a draft may mean by a path, best first."""
    names: tuple[str, ...] = (written,)
    folders: tuple[Path, ...] = (path.parent,)
    if format == "latex":
        names = (written, written + ".tex") if Path(written).suffix else (written + ".tex",)
        names += tuple(written.removesuffix(".tex") + suffix for suffix in MARKDOWN)
        folders = tuple(dict.fromkeys((root.parent, path.parent)))
    elif written.startswith("/") and format != "org":
        # The root of the project is meant, the folder of the main file as a rule.
        names, folders = (written.lstrip("/"),), (root.parent, *root.parent.parents[:2])
    elif format == "markdown":  # knitr starts from the main file
        folders = tuple(dict.fromkeys((path.parent, root.parent)))
    return tuple(product(folders, names))
