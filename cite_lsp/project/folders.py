"""Which folders belong to a draft: its own, and those above it up to the border of the project.

And by which name a file is known where it has several.
"""

from __future__ import annotations

import os
import sys
import time
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from cite_lsp.storage.caches import LastUsed
from cite_lsp.storage.stamps import Stamp, stamp

_LEVELS_WITHOUT_BORDER = 4
_SPELLINGS = sys.platform == "darwin"
"""Whether a file is found under other spellings of its name (`Intro.tex` as `intro.tex`, an accent
as a letter of its own), which are other paths to Python. On Windows they are equal to it."""
_MOST_LISTINGS = 1000

_LISTING_LASTS = 2.0
"""Seconds for which a listing of all that is below a folder is taken as it was."""
_MOST_FOLDERS = 500
SETTLED = 3_000_000_000
"""Nanoseconds after which a change of a folder has a later time than the last one, on any disk."""
PROGRAM_FOLDERS = frozenset("node_modules __pycache__ venv env site-packages build dist".split())

_Names = Mapping[str, str]

_below: LastUsed[tuple[Path, tuple[str, ...], bool], tuple[float, list[Path]]] = LastUsed()
_suffixed: LastUsed[tuple[Path, tuple[str, ...]], tuple[Stamp, Sequence[Path]]] = LastUsed(
    _MOST_LISTINGS
)
_listings: LastUsed[Path, tuple[int, _Names]] = LastUsed(_MOST_LISTINGS)


def absolute(path: Path) -> Path:
    """Return the path from the root, `..` and `~` resolved, links left as the writer sees them.

    Of the spellings of a file that is there it is the one that `files_in` gives.
    """
    path = Path(os.path.abspath(os.path.expanduser(path)))
    return _listed_path(path) if _SPELLINGS else path


def joined(folder: Path, name: str) -> Path:
    """Return the absolute path of what a file in a folder names.

    The same object each time: a draft of many files asks for hundreds of them with each key.
    """
    return absolute(folder / name) if _SPELLINGS else _joined(folder, name)


@lru_cache(4096)
def _joined(folder: Path, name: str) -> Path:
    return absolute(folder / name)


def composed(name: str) -> str:
    """Return a name with accents as parts of letters where files are found by either spelling.

    So do editors; folders list what the program wrote that made the file.
    """
    return unicodedata.normalize("NFC", name) if _SPELLINGS and not name.isascii() else name


def _listed_path(path: Path) -> Path:
    """Return a path with each name spelt as its folder lists it."""
    if path.parent == path:
        return path
    folder, name = _listed_path(path.parent), composed(path.name)
    names = _names_by_folded(folder)
    return folder / (names.get(name) or names.get(_folded(name), name))


def _names_by_folded(folder: Path) -> _Names:
    """Return the names in a folder, by themselves and by what their spellings have in common."""
    try:
        changed = os.stat(folder).st_mtime_ns
        listing = _listings.get(folder)
        if listing is None or listing[0] != changed:
            names = list(map(composed, os.listdir(folder)))
            folded = {_folded(name): name for name in names}
            listing = changed, folded | {name: name for name in names}
            _listings.keep(folder, listing)
        return listing[1]
    except OSError:
        return {}


def _folded(name: str) -> str:
    return composed(name).casefold()


def in_another_case(path: Path) -> Path | None:
    """Return what is there under a path that differs from one in case at most, None if nothing."""
    if os.path.lexists(path) or path.parent == path:
        return path if os.path.lexists(path) else None
    folder = in_another_case(path.parent)
    name = _names_by_folded(folder).get(_folded(path.name)) if folder is not None else None
    return folder / name if folder is not None and name is not None else None


def holding(path: Path, folders: Iterable[Path]) -> list[Path]:
    """Return the folders that contain a path, directly or not, the innermost first."""
    holders = [folder for folder in folders if path.is_relative_to(folder)]
    return sorted(holders, key=lambda folder: -len(folder.parts))


def folders_above(folder: Path, workspace: Path | None) -> list[Path]:
    """Return a folder and those above it, nearest first, up to the border of the project.

    The border is the workspace, otherwise the nearest folder with `.git`, otherwise four levels up.
    The home folder and the root of the disk belong to a project only if it lies directly there.
    """
    chain = [folder, *folder.parents]
    if workspace is not None and workspace in chain:
        return chain[: chain.index(workspace) + 1]
    outside = {Path(os.path.expanduser("~")), Path(folder.anchor)}
    folders: list[Path] = []
    for candidate in chain:
        if folders and candidate in outside:
            break
        folders.append(candidate)
        if os.path.exists(candidate / ".git"):
            return folders
    return folders[:_LEVELS_WITHOUT_BORDER]


def folders_reached(folder: Path, workspace: Path | None) -> list[Path]:
    """Return the folders above, and those beyond a workspace that is but a part of a project.

    What stands there counts only where it names the file that is looked at.
    """
    return list(dict.fromkeys((*folders_above(folder, workspace), *folders_above(folder, None))))


def files_below(folder: Path, *suffixes: str, nested: bool = True) -> list[Path]:
    """Return the files with these suffixes in a folder and those below it, folder by folder.

    Where not `nested`, those in folders right in the folder are the last.

    Hidden folders and those that programs fill are left out. What was listed a moment ago is not
    listed again.
    """
    now = time.monotonic()
    listing = _below.get((folder, suffixes, nested))
    if listing is None or now - listing[0] > _LISTING_LASTS:
        paths: list[Path] = []
        for number, (parent, names, _) in enumerate(os.walk(folder)):
            names[:] = sorted(
                name
                for name in names
                if not name.startswith((".", "_")) and name not in PROGRAM_FOLDERS
            )
            paths += files_in(Path(parent), *suffixes)
            if number and not nested:
                names.clear()
            if number >= _MOST_FOLDERS:
                break
        listing = now, paths
        _below.keep((folder, suffixes, nested), listing)
    return list(listing[1])


def files_in(folder: Path, *suffixes: str, most: int | None = None) -> list[Path]:
    """Return the files in a folder with these suffixes, by name; none if it cannot be listed.

    Of more than `most` they are the first. Hidden files are left out: programs create them beside
    the real ones (`.#refs.bib` of an Emacs that has the file open, `._refs.bib` of a Mac).
    """
    return list(_listed(folder, suffixes)[:most])


def _listed(folder: Path, suffixes: tuple[str, ...]) -> Sequence[Path]:
    """Return the files with some suffixes in a folder, by name.

    They are listed again only when the folder has changed. One that has changed just now may do so
    again without a later time.
    """
    current = stamp(folder)
    cached = _suffixed.get((folder, suffixes))
    if cached is not None and cached[0] == current:
        return cached[1]
    try:
        with os.scandir(folder) as listing:
            names = sorted(
                item.name
                for item in listing
                if item.name.lower().endswith(suffixes) and not item.name.startswith(".")
            )
    except OSError:
        return ()
    paths = [folder / composed(name) for name in names]
    if current is not None and time.time_ns() - max(current[:2]) > SETTLED:
        _suffixed.keep((folder, suffixes), (current, paths))
    return paths
