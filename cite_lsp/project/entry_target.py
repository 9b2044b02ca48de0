"""Choose the file for a new entry: the last bibliography of the draft that can be written.

Where the draft names none, `references.bib` beside its main file: the name that most editors and
templates expect, in the format that every tool reads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from attrs import frozen

from cite_lsp.library.bibtex.roles import SET
from cite_lsp.library.load.read import is_database
from cite_lsp.project.bibliographies.inline_bibliographies import TYPESET
from cite_lsp.project.project import Project
from cite_lsp.project.workspace_paths import WorkspacePaths, holds_mostly_entries

if TYPE_CHECKING:
    from cite_lsp.project.draft import Draft

DEFAULT_NAME = "references.bib"
EntryPlace = Literal["file", "references", "bibitems", "filecontents"]
_PLACES: dict[str, EntryPlace] = {
    "bibitem": "bibitems",
    "bbl": "bibitems",
    "bibtex": "filecontents",
}


@frozen
class EntryTarget:
    r"""A file that takes new entries.

    `place` is where in it: at its end, in the `references:` of a front matter, behind the last
    `\bibitem`, or at the end of the last bibliography in a `filecontents`; `named` says whether
    the draft, or a setting, names the file.
    """

    path: Path
    place: EntryPlace = "file"
    exists: bool = True
    named: bool = True


def entry_target(
    project: Project,
    *,
    chosen: Path | None = None,
    extra: Sequence[Path] = (),
    may_take: Callable[[EntryTarget], bool],
) -> EntryTarget | None:
    """Return the file for new entries of a draft; None where none may take them.

    In this order: the chosen one, of a folder its file of the default name; the last of those that
    the draft names that can be written; one that it names and that does not exist yet, unless what
    BibTeX made of it is used, which would count no longer; the references in the draft itself; the
    last of the `extra` ones, from the settings; the default. `may_take` says of each, in turn,
    whether it may by the rule of `workspace_paths`. One that may not is passed over; if the draft
    names it, there is no default: the draft would not cite from that.
    """
    if chosen is not None and not is_database(chosen):
        chosen = chosen / DEFAULT_NAME if chosen.is_dir() else chosen
        target = EntryTarget(chosen, exists=chosen.exists())
        if may_take(target):
            return target
    refused = False
    for target in _targets_of_draft(project):
        if may_take(target):
            return target
        refused = True
    for path in reversed(extra):
        if not is_database(path) and _can_be_written(path):
            target = EntryTarget(path)
            if may_take(target):
                return target
    default = project.root.parent / DEFAULT_NAME
    target = EntryTarget(default, exists=default.exists(), named=False)
    return target if not refused and may_take(target) else None


def refusal_of(
    target: EntryTarget, draft: Draft, paths: WorkspacePaths, read: Callable[[Path], str | None]
) -> str:
    """Return why a file may not take an entry, and what to do, or ""; `read` returns its text."""
    if target.place != "file":  # it is a file of the draft, read as one, and holds entries
        return "" if target.path == draft.path else paths.outside(target.path)
    for bibliography in draft.library.bibliographies:
        if bibliography.path == target.path and holds_mostly_entries(bibliography):
            return paths.refusal(target.path)
    return paths.refusal(target.path, read(target.path) or "")


def _targets_of_draft(project: Project) -> Iterator[EntryTarget]:
    named = [path for path in project.bibliographies if not is_database(path)]
    for path in reversed(named):
        if _can_be_written(path):
            yield EntryTarget(path)
    typeset = any(bibliography.path.suffix == TYPESET for bibliography in project.inline)
    for path in reversed(named):
        if not path.exists() and not typeset:
            yield EntryTarget(path, exists=False)
    for bibliography in reversed(project.inline):
        entry = next((entry for entry in bibliography.entries if entry.kind != SET), None)
        if entry is not None:
            place = _PLACES.get(entry.source, "references")
            yield EntryTarget(bibliography.path, place)


def _can_be_written(path: Path) -> bool:
    return path.is_file() and os.access(path, os.W_OK)
