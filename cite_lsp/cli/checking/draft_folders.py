"""The drafts of a folder, for a command that looks through all of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from cite_lsp.cli import CommandError
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript, format_of
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.folders import absolute
from cite_lsp.project.project import ProjectCache

MOST_DRAFTS = 1000
_MOST_FOLDERS = 20_000
_BUILT = frozenset(
    """build _build dist out output target public site _site _book _freeze auto node_modules venv
    env __pycache__ site-packages vendor third_party renv packrat""".split()
)
"""Folders that programs fill, not writers."""
_TAGS = ("CACHEDIR.TAG", "pyvenv.cfg")
"""Files that mark their folder as made by a program."""
_ABOUT_PROJECT = lazy_re(
    r"(?:readme|licen[cs]e|copying|notice|change[-_ ]?log|changes|history|news|release[-_ ]?notes"
    r"|contributing|contributors|authors|maintainers|code[-_ ]of[-_ ]conduct|security|support"
    r"|governance|to[-_ ]?do|roadmap|install(?:ation|ing)?|agents|claude"
    r"|(?:issue|pull_request)_template)(?:[-_. ].*)?",
    re.IGNORECASE,
)


def is_about_project(manuscript: Manuscript, path: Path) -> bool:
    """Whether a file is a README, a licence or the like that cites nothing, and so no draft."""
    return (
        _ABOUT_PROJECT.fullmatch(path.stem) is not None
        and not manuscript.markers
        and not manuscript.declarations
    )


def drafts_in(folder: Path) -> list[Path]:
    """Return the drafts of a folder and of those in it: main files first, each group by name.

    What is hidden or built is left out, and links to folders are not followed.

    Raises:
        CommandError: there is none, or there are more than `MOST_DRAFTS`, or too many folders.
    """
    drafts: list[Path] = []
    for path in _files_below(folder):
        if format_of(path) is not None:
            drafts.append(absolute(path))
            if len(drafts) > MOST_DRAFTS:
                raise CommandError(
                    f"{folder}: holds more than {MOST_DRAFTS:,} drafts; name a smaller folder"
                )
    if not drafts:
        raise CommandError(
            f"{folder}: holds no draft; name a folder with .tex, .md, .qmd, .Rmd, .Rnw, .typ or "
            ".org files, or a .bib file"
        )
    projects, read = ProjectCache(), FilesOnDisk().read
    return sorted(drafts, key=lambda path: (projects.open(path, read).root != path, path))


def _files_below(folder: Path) -> Iterator[Path]:
    looked_into = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name.lower() not in _BUILT
        )
        looked_into += 1
        if looked_into > _MOST_FOLDERS:
            raise CommandError(
                f"{folder}: holds more than {_MOST_FOLDERS:,} folders; name a smaller one"
            )
        if place != os.fspath(folder) and not set(_TAGS).isdisjoint(names):
            folders.clear()
            continue
        for name in sorted(names):
            path = Path(place, name)
            if not name.startswith(".") and path.is_file():
                yield path
