"""A bibliography that a draft names and that is not there: what the draft has to name instead.

It has moved, or its name has changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.model import BibliographyDeclaration
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.project.draft import Draft
from cite_lsp.project.folders import folders_above, holding
from cite_lsp.project.workspace import files_of
from cite_lsp.rules.findings import Finding, Fix

_MOST = 3
_SAFE = lazy_re(r"[\w.][\w.+/-]*")
"""A path that every format takes as it stands."""
_WITH_BLANKS = lazy_re(r"[\w.][\w.+/-]*(?: [\w.+/-]+)*")
_BLANKS_ALLOWED = ("markdown", "typst")


def path_replacements(
    draft: Draft, finding: Finding, workspaces: tuple[Path, ...], cancelled: Cancel
) -> Iterator[Fix]:
    """Yield the fixes that name another file, where the finding is that a file is not there.

    Those of the same name in the workspace, the nearest first, and preferred where there is no
    other; without any, what else lies in its folder, the likest names first.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    missing = next((fix.create for fix in finding.fixes if fix.create is not None), None)
    if missing is None:
        return
    declaration = _declaration(draft, finding)
    if declaration is None:
        return
    typst = draft.manuscript.format == "typst"
    base = (draft.path if typst else draft.project.root).parent
    used = {os.path.realpath(path) for path in draft.project.bibliographies}

    def names_of(paths: Iterable[Path]) -> list[str]:
        new = (path for path in paths if os.path.realpath(path) not in used)
        names = (_written(declaration, draft.manuscript.format, path, base) for path in new)
        return list(filter(None, dict.fromkeys(names)))

    named_alike = names_of(_of_the_name(missing.name, _folders(draft.path, workspaces), cancelled))
    named_alike.sort(key=lambda name: (name.count("/"), name))
    for name in (named_alike or names_of(_beside(missing)))[:_MOST]:
        title = f"Change to “{name}”"
        edit = TextEdit(declaration.start, declaration.end, name)
        yield Fix(title, edit, preferred=named_alike == [name])


def _declaration(draft: Draft, finding: Finding) -> BibliographyDeclaration | None:
    """Return what a finding is about where a name stands there as it is read, without macros."""
    text = draft.manuscript.text
    for declaration in draft.manuscript.declarations:
        start, end, path = declaration.start, declaration.end, declaration.path
        literal = text[start:end] == path and "\\" not in path
        if literal and (start, end) == (finding.start, finding.end):
            return declaration
    return None


def _of_the_name(name: str, folders: Iterable[Path], cancelled: Cancel) -> Iterator[Path]:
    for path in files_of(dict.fromkeys(folders)):
        stop_if(cancelled)
        if path.name.casefold() == name.casefold() and os.path.isfile(path):
            yield path


def _beside(missing: Path) -> list[Path]:
    """Return the files of the same kind in the folder of a missing one, the likest names first."""
    try:
        files = [path for path in missing.parent.iterdir() if path.is_file()]
    except OSError:
        return []
    alike = SequenceMatcher(b=missing.stem.casefold())

    def likeness(path: Path) -> float:
        alike.set_seq1(path.stem.casefold())
        return alike.ratio()

    same_kind = (path for path in files if path.suffix.lower() == missing.suffix.lower())
    return sorted(same_kind, key=lambda path: (-likeness(path), path.name))


def _folders(path: Path, workspaces: tuple[Path, ...]) -> Iterable[Path]:
    """Return the folders of the workspace, or without one that of the repository, or of the draft.

    Any other folder above may hold all that the writer has.
    """
    folder = next(iter(holding(path, workspaces)), None)
    if folder is None:
        folder, top = path.parent, folders_above(path.parent, None)[-1]
        folder = top if os.path.exists(top / ".git") else folder
    return folder, *workspaces


def _written(
    declaration: BibliographyDeclaration, format: str, path: Path, base: Path
) -> str | None:
    """Return the name of a file as a draft has it that reads names from a folder, None if none.

    The extension stays away where it did. A link on the way may lead elsewhere than the name says.
    """
    try:
        name = Path(os.path.relpath(path, base)).as_posix()
    except ValueError:  # on another drive
        return None
    if not os.path.isfile(base / name):
        return None
    if not declaration.path.lower().endswith(path.suffix.lower()):
        name = name.removesuffix(path.suffix)
    allowed = _WITH_BLANKS if format in _BLANKS_ALLOWED else _SAFE
    return name if allowed.fullmatch(name) else None
