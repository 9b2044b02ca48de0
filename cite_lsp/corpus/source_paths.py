"""The sources of a corpus as it records them: each file once, folders and patterns as named.

A pattern is a glob, which finds other files from one day to the next, as a folder does.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from cite_lsp.paths import expanded


def is_searched(source: str) -> bool:
    """Whether a source is a folder or a pattern."""
    path = expanded(source)
    return path.is_dir() or is_pattern(path)


def is_pattern(path: Path) -> bool:
    """Whether a path is a pattern; one that exists is none, whatever its name."""
    return glob.has_magic(str(path)) and not path.exists()


def with_folders_as_named(pattern: Path) -> Path:
    """Return a pattern in which the folders that exist, "[2020]" say, stand for themselves."""
    parts = pattern.parts
    missing = (depth for depth in range(len(parts)) if not Path(*parts[: depth + 1]).exists())
    existing = next(missing, len(parts))
    return Path(*map(glob.escape, parts[:existing]), *parts[existing:])


def searched_place(source: str) -> str:
    """Return a folder or pattern as it is noted."""
    path = expanded(source).absolute()
    return normalised(with_folders_as_named(path) if is_pattern(path) else path)


def normalised(path: Path) -> str:
    """Return a path or pattern, absolute and without "..", by which a file is noted once.

    Links stay as they are named, for they may lead elsewhere tomorrow; and so does "link/..", which
    is not the folder of the link.
    """
    parts = expanded(path).absolute().parts
    fixed = next((at for at, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    fixed_path = Path(*parts[:fixed])
    plain = Path(os.path.abspath(fixed_path))
    normal_path = (plain if _is_same_file(plain, fixed_path) else fixed_path).joinpath(
        *parts[fixed:]
    )
    return with_large_drive(str(normal_path))


def with_large_drive(path: str) -> str:
    """Return a path with the letter of its drive as Windows spells it; editors do otherwise."""
    drive, rest = os.path.splitdrive(path)
    return drive.upper() + rest if drive.endswith(":") else path


def covers(place: str, file: str) -> bool:
    """Whether a file lies below a folder, or matches a pattern or lies below what matches it."""
    of_place, path = Path(place), Path(file)
    paths = (path, *path.parents)
    if of_place in paths or not is_pattern(of_place):
        return of_place in paths
    return any(_matches(parent.parts, of_place.parts) for parent in paths)


def _is_same_file(path: Path, other: Path) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return not other.exists()


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a path match those of a pattern, "**" any number of them."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_matches(parts[start:], pattern[1:]) for start in range(len(parts) + 1))
    return bool(parts) and fnmatch(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])
