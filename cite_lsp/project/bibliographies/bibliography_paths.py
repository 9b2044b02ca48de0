"""Find the file of a bibliography by the name that a draft or a configuration file gives it."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.load.read import DATA_SUFFIXES, SUFFIXES, Reader, unread_reason
from cite_lsp.library.model import Problem
from cite_lsp.project.bibliographies.kpathsea import PATIENCE, kpathsea
from cite_lsp.project.bibliographies.wildcards import (
    TooManyNamesError,
    files_matching,
    has_wildcards,
)
from cite_lsp.project.folders import absolute, files_in, folders_above
from cite_lsp.storage.regular_files import LARGEST_SETTINGS

_REMOTE = lazy_re(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_COMPUTED = lazy_re(r"`(?:r\b|\{r\})|!(?:expr|r)\b")
"""Names that R Markdown has R compute: code in a text, or a value with a tag of YAML."""
_MACRO = lazy_re(r"\\[A-Za-z@]+\s*/?")
_DRIVE = lazy_re(r"[A-Za-z]:[\\/]")
_NOT_IN_NAMES = lazy_re(r"(?<!\$)\{|\0|(?<!\w)\}|\}$")
_R_CONFIGURATIONS = tuple(
    f"_{name}.{suffix}"
    for name in ("metadata", "quarto", "bookdown", "site")
    for suffix in ("yml", "yaml")
)
_OTHER_CONFIGURATIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "_config.yml": (("bibtex_bibfiles",), ("sphinx", "config", "bibtex_bibfiles")),
    "myst.yml": (("project", "bibliography"),),
}
"""For those of Jupyter Book and MyST the fields, from the top down, that name bibliographies."""
_SPHINX_CONFIGURATION = "conf.py"
_SPHINX_VARIABLE = "bibtex_bibfiles"
_TELLING_NAME = lazy_re(
    r"(?:references?|refs|bibliograph(?:y|ies)|biblio|citations?|hayagriva|library"
    r"|.*\.(?:csl|hayagriva|bib))\.(?:json|ya?ml)",
    re.IGNORECASE,
)
_IEEETRAN_FILES = frozenset(("IEEEabrv.bib", "IEEEfull.bib"))
"""Files of IEEEtran that hold only the names of journals, no entry."""
_MOST_OF_A_PATTERN = 200
_RECURSIVE_FOLDERS = 500
"""How many folders below a `…//` of BIBINPUTS are looked into."""


def resolve(
    written: str, folders: Sequence[Path], project: Sequence[Path], patience: float = PATIENCE
) -> Path | None:
    r"""Return the file that a bibliography's name leads to, or None where that is not known.

    It is not known of an address on the network and of a name that R computes. Tried in this order:
    `folders`, BIBINPUTS, the user's TEXMF tree, the folders of the project (nearest first),
    kpathsea where TeX is installed. The extension `.bib` may be missing; `~` and environment
    variables are resolved; macros that are still there (`\subfix{…}`) are left out, or else a
    backslash parts folders, too. Where nothing exists, the path in the first folder. `patience` is
    how many seconds kpathsea may take; what it finds later is there for the next call.
    """
    if _REMOTE.match(written) or _COMPUTED.match(written):
        return None
    name = written if _DRIVE.match(written) else _MACRO.sub("", written)
    name = _expanded(_NOT_IN_NAMES.sub("", name).strip("\"' \t\r\n"))
    if not name:
        return None
    names = [name] if name.lower().endswith(SUFFIXES) else [name + ".bib", name]
    if "\\" in written and written.lower().endswith(SUFFIXES):  # of Windows: pandoc takes it there
        names.append(_expanded(written.replace("\\", "/")))
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
        installed = kpathsea(names[0], patience)
        if installed is not None:
            return installed
    return absolute(folders[0] / (names[0] if not Path(name).suffix else name))


def is_dispensable(path: Path) -> bool:
    """Whether a named bibliography may be missing: TeX supplies it, and it holds no entry."""
    return path.name in _IEEETRAN_FILES and not os.path.isfile(path)


def matching(written: str, folders: Sequence[Path]) -> tuple[list[Path], str] | None:
    r"""Return the files that a name with wildcards stands for (`\addbibresource[glob]{bib/*.bib}`).

    They are those of the first folder that has any, with why they are not all ("" if they are);
    None where the name has no wildcards, or is that of a file as it stands.
    """
    name = _expanded(written.strip("\"' \t\r\n"))
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
    for written in filter(None, listed):
        folder = absolute(base / _expanded(written.rstrip("/\\") or "/"))
        yield folder
        if written.endswith("//"):
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


def configured(
    folders: Iterable[Path], read: Reader
) -> tuple[list[tuple[Path, str]], list[Path], list[Problem]]:
    """Read the configuration files of Quarto, bookdown, Jupyter Book, MyST and Sphinx in folders.

    Returns:
        The bibliographies as (configuration file, name as written), the folders that have a
        configuration file of Quarto or bookdown, and the problems met.
    """
    named: list[tuple[Path, str]] = []
    homes: list[Path] = []
    problems: list[Problem] = []
    for folder in folders:
        pending = [folder / name for name in (*_R_CONFIGURATIONS, *_OTHER_CONFIGURATIONS)]
        for path in pending:
            text = _configuration(path, read, problems)
            if text is None:
                continue
            if path.name not in _OTHER_CONFIGURATIONS:
                homes.append(folder)
            names, others, problem = _read_configuration(path, text)
            named.extend((path, name) for name in names)
            problems.extend(problem)
            further = [absolute(folder / other) for other in others]
            pending += [other for other in further if other not in pending]
        path = folder / _SPHINX_CONFIGURATION
        text = _configuration(path, read, problems) or ""
        named.extend((path, name) for name in _sphinx_bibliographies(text))
    return named, list(dict.fromkeys(homes)), problems


def _configuration(path: Path, read: Reader, problems: list[Problem]) -> str | None:
    """Return the text of a configuration file; why one is not read is added to `problems`."""
    text = read(path)
    if text is not None and len(text) > LARGEST_SETTINGS:
        text, reason = None, f"it is larger than {LARGEST_SETTINGS // 1_000_000} MB"
    else:
        reason = unread_reason(path) if text is None else ""
    if reason:
        problems.append(Problem(path, 1, f"the configuration is not read: {reason}"))
    return text


def _sphinx_bibliographies(text: str) -> list[str]:
    """Return the bibliographies that a configuration of Sphinx lists. It is read, never run."""
    if _SPHINX_VARIABLE not in text:
        return []

    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    values: list[object] = []
    for statement in statements:
        if not isinstance(statement, ast.Assign) or not isinstance(
            statement.value, ast.List | ast.Tuple
        ):
            continue
        if any(
            isinstance(name, ast.Name) and name.id == _SPHINX_VARIABLE for name in statement.targets
        ):
            values = [item.value for item in statement.value.elts if isinstance(item, ast.Constant)]
    return _text_list(values)


def _read_configuration(path: Path, text: str) -> tuple[list[str], list[str], list[Problem]]:
    """Return the bibliographies that a YAML file names, the files it includes, the problems."""
    fields = _OTHER_CONFIGURATIONS.get(path.name)
    wanted = [field[-1] for field in fields] if fields else ["bibliography", "metadata-files"]
    if not any(name in text for name in wanted):
        return [], [], []
    # Imported where needed: most projects have no YAML.
    import yaml

    from cite_lsp.manuscript.text.bounded_yaml import compose, values_of

    try:
        document = values_of(compose(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        return [], [], [Problem(path, line, "not valid YAML, so it is not used: correct this line")]
    if fields is not None:
        return [name for field in fields for name in _texts_at(document, field)], [], []
    values_by_name = (list(dict.fromkeys(_texts_of_field(document, name))) for name in wanted)
    return next(values_by_name), next(values_by_name), []


def _texts_of_field(document: object, name: str) -> Iterator[str]:
    """Yield the texts of a field, at the top or (Quarto) below `book` and `format`."""
    if not isinstance(document, dict):
        return
    yield from _text_list(document.get(name))
    for part in ("book", "website", "format", "html", "pdf", "docx"):
        yield from _texts_of_field(document.get(part), name)


def _texts_at(document: object, field: Sequence[str]) -> list[str]:
    """Return the texts of a field that stands below others."""
    for name in field:
        document = document.get(name) if isinstance(document, dict) else None
    return _text_list(document)


def _text_list(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str) and text.strip()]


def nearby(folder: Path, workspace: Path | None) -> list[Path]:
    """Return the bibliographies of the nearest folder that has any, for drafts that name none.

    Those are the .bib files, or else files in another format whose name says what they are.
    """
    for candidate in folders_above(folder, workspace):
        bibliographies = files_in(candidate, ".bib") or [
            path for path in files_in(candidate, *DATA_SUFFIXES) if _TELLING_NAME.match(path.name)
        ]
        if bibliographies:
            return bibliographies
    return []
