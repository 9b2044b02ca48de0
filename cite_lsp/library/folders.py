"""Which folders belong to a draft: its own, and those above it up to the border of the project."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_LEVELS_WITHOUT_BORDER = 4


def absolute(path: Path) -> Path:
    """Return the path from the root, `..` and `~` resolved, links left as the writer sees them."""
    return Path(os.path.abspath(os.path.expanduser(path)))


def holding(path: Path, folders: Iterable[Path]) -> list[Path]:
    """Return those of some folders that hold a path, directly or not, the innermost first."""
    found = [folder for folder in folders if path.is_relative_to(folder)]
    return sorted(found, key=lambda folder: -len(folder.parts))


def folders_above(folder: Path, workspace: Path | None) -> list[Path]:
    """Return a folder and those above it, nearest first, up to the border of the project.

    The border is the workspace, otherwise the nearest folder with `.git`, otherwise four levels up.
    The home folder and the root of the disk belong to a project only if it lies directly there.
    """
    chain = [folder, *folder.parents]
    if workspace is not None and workspace in chain:
        return chain[: chain.index(workspace) + 1]
    outside = {Path(os.path.expanduser("~")), Path(folder.anchor)}
    found: list[Path] = []
    for candidate in chain:
        if found and candidate in outside:
            break
        found.append(candidate)
        if os.path.exists(candidate / ".git"):
            return found
    return found[:_LEVELS_WITHOUT_BORDER]


def files_in(folder: Path, *suffixes: str) -> list[Path]:
    """Return the files directly in a folder that end so, by name; none if it cannot be listed.

    Hidden ones are left out: programs put them there beside what is meant (`.#refs.bib` of an Emacs
    that has the file open, `._refs.bib` of a Mac).
    """
    try:
        with os.scandir(folder) as listed:
            names = [
                one.name
                for one in listed
                if one.name.lower().endswith(suffixes) and not one.name.startswith(".")
            ]
    except OSError:
        return []
    return [folder / name for name in sorted(names)]
