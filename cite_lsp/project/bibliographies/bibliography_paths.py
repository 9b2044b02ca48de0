"""Find the file of a bibliography by the name that a draft or a configuration file gives it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from itertools import chain
from pathlib import Path

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.load.read import DATA_SUFFIXES, SUFFIXES
from cite_lsp.project.bibliographies.kpathsea import kpathsea
from cite_lsp.project.folders import absolute, files_in, folders_above

_REMOTE = lazy_re(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_COMPUTED = lazy_re(r"`(?:r\b|\{r\})|!(?:expr|r)\b")
"""Names that R Markdown has R compute: code in a text, or a value with a tag of YAML."""
_MACRO = lazy_re(r"\\[A-Za-z@]+\s*/?")
_DRIVE = lazy_re(r"[A-Za-z]:[\\/]")
_NOT_IN_NAMES = lazy_re(r"(?<!\$)\{|\0|(?<!\w)\}|\}$")
_TELLING_NAME = lazy_re(
    r"(?:references?|refs|bibliograph(?:y|ies)|biblio|citations?|hayagriva|library"
    r"|.*\.(?:csl|hayagriva|bib))\.(?:json|ya?ml)",
    re.IGNORECASE,
)
_TELLING_FOLDERS = (
    "bib", "bibs", "biblio", "bibliography", "bibtex", "literature", "ref", "reference",
    "references", "refs",
)  # fmt: skip
_IEEETRAN_FILES = frozenset(("IEEEabrv.bib", "IEEEfull.bib"))
"""Files of IEEEtran that hold only the names of journals, no entry."""
_MOST_OF_A_PATTERN = 200
_RECURSIVE_FOLDERS = 500
"""How many folders below a `…//` of BIBINPUTS are looked into."""
_WILDCARD = lazy_re(r"[*?\[]")
_MOST_LOOKED_AT = 20_000
"""Names in folders that are compared with a pattern; no folder of bibliographies has as many."""


def resolve(
    declared_name: str, folders: Sequence[Path], project: Sequence[Path], patience: float
) -> Path | None:
    r"""Return the file that a bibliography's name leads to, or None where that is not known.

    It is not known of an address on the network and of a name that R computes. Tried in this order:
    `folders`, BIBINPUTS, the user's TEXMF tree, the folders of the project (nearest first),
    kpathsea where TeX is installed. The extension `.bib` may be missing; `~` and environment
    variables are resolved; macros that are still there (`\subfix{…}`) are left out, or else a
    backslash parts folders, too. Where nothing exists, the path in the first folder. `patience` is
    how many seconds kpathsea may take; what it finds later is there for the next call.
    """
    if _REMOTE.match(declared_name) or _COMPUTED.match(declared_name):
        return None
    name = declared_name if _DRIVE.match(declared_name) else _MACRO.sub("", declared_name)
    name = _expanded(_NOT_IN_NAMES.sub("", name).strip("\"' \t\r\n"))
    if not name:
        return None
    names = [name] if name.lower().endswith(SUFFIXES) else [name + ".bib", name]
    # A path of Windows: pandoc takes it there.
    if "\\" in declared_name and declared_name.lower().endswith(SUFFIXES):
        names.append(_expanded(declared_name.replace("\\", "/")))
    # BIBINPUTS is opened out only for what the folders of the draft do not have.
    for folder in chain(folders, _bibinputs(folders[0]), project):
        for candidate_name in names:
            candidate = absolute(folder / candidate_name)
            if os.path.isfile(candidate):
                return candidate
    if Path(name).is_absolute() or name.startswith("/"):  # which Windows takes for a relative one
        # Quarto means the folder of the project by a leading slash.
        for folder in project:
            candidate = absolute(folder / name.lstrip("/"))
            if os.path.isfile(candidate):
                return candidate
    elif not name.lower().endswith(DATA_SUFFIXES):
        installed = kpathsea(names[0], folders[0], patience)
        if installed is not None:
            return installed
    return absolute(folders[0] / (names[0] if not Path(name).suffix else name))


def is_dispensable(path: Path) -> bool:
    """Whether a named bibliography may be missing: TeX supplies it, and it holds no entry."""
    return path.name in _IEEETRAN_FILES and not os.path.isfile(path)


def matching(pattern: str, folders: Sequence[Path]) -> tuple[list[Path], str] | None:
    r"""Return the files that a name with wildcards stands for (`\addbibresource[glob]{bib/*.bib}`).

    They are those of the first folder that has any, with why they are not all ("" if they are);
    None where the name has no wildcards, or is that of a file as it stands.
    """
    name = _expanded(pattern.strip("\"' \t\r\n"))
    if not has_wildcards(name) or "\0" in name:
        return None
    if any(os.path.isfile(folder / name) for folder in folders):
        return None
    for folder in folders:
        try:
            files = [absolute(path) for path in files_matching(folder, name)]
        except TooManyNamesError:
            return [], "it leads to too many files: name a folder of bibliographies"
        if len(files) > _MOST_OF_A_PATTERN:
            return files[:_MOST_OF_A_PATTERN], f"only the first {_MOST_OF_A_PATTERN} files are read"
        if files:
            return files, ""
    return [], ""


def _bibinputs(base: Path) -> Iterator[Path]:
    """Yield the folders of BIBINPUTS and of the user's TEXMF tree, `//` opened out."""
    listed = os.environ.get("BIBINPUTS", "").split(os.pathsep)
    home = os.environ.get("TEXMFHOME") or os.path.join(os.path.expanduser("~"), "texmf")
    listed.append(os.path.join(home, "bibtex", "bib") + "//")
    for folder_name in filter(None, listed):
        folder = absolute(base / _expanded(folder_name.rstrip("/\\") or "/"))
        yield folder
        if folder_name.endswith("//"):
            yield from _subfolders(folder)


def _expanded(name: str) -> str:
    """Return a path with `~` and environment variables resolved."""
    return os.path.expandvars(os.path.expanduser(name))


def _subfolders(folder: Path) -> list[Path]:
    subfolders: list[Path] = []
    for parent, names, _ in os.walk(folder):
        names.sort()
        subfolders.extend(Path(parent, name) for name in names)
        if len(subfolders) >= _RECURSIVE_FOLDERS:
            break
    return subfolders[:_RECURSIVE_FOLDERS]


def nearby(folder: Path, workspace: Path | None) -> list[Path]:
    """Return the bibliographies of the nearest folder that has any, for drafts that name none.

    Those are the .bib files, or else files in another format whose name says what they are, or
    the .bib files of the folders in it whose names do.
    """
    for candidate in folders_above(folder, workspace):
        bibliographies = (
            files_in(candidate, ".bib")
            or [
                path
                for path in files_in(candidate, *DATA_SUFFIXES)
                if _TELLING_NAME.match(path.name)
            ]
            or [path for name in _TELLING_FOLDERS for path in files_in(candidate / name, ".bib")]
        )
        if bibliographies:
            return bibliographies
    return []


class TooManyNamesError(Exception):
    """A pattern leads to more names than are looked at."""


def has_wildcards(name: str) -> bool:
    """Whether a name is a pattern, as `glob` has them."""
    return _WILDCARD.search(name) is not None


def files_matching(folder: Path, pattern: str) -> list[Path]:
    """Return the files that a pattern stands for, seen from a folder, by name.

    Raises:
        TooManyNamesError: more names would have to be looked at than are sensible.
    """
    matches = _below(folder, Path(pattern).parts, [_MOST_LOOKED_AT])
    return sorted(path for path in matches if path.is_file())


def _below(folder: Path, parts: tuple[str, ...], left: list[int]) -> Iterator[Path]:
    if not parts:
        yield folder
        return
    if not has_wildcards(parts[0]):
        if os.path.exists(path := folder / parts[0]):
            yield from _below(path, parts[1:], left)
        return
    matches = re.compile(translate(parts[0])).match
    names: list[str] = []
    try:
        with os.scandir(folder) as listing:
            for item in listing:
                left[0] -= 1
                if left[0] < 0:
                    raise TooManyNamesError
                hidden = item.name.startswith(".") and not parts[0].startswith(".")
                if not hidden and matches(item.name) and (len(parts) == 1 or item.is_dir()):
                    names.append(item.name)
    except OSError:
        return
    for name in names:
        yield from _below(folder / name, parts[1:], left)
