"""Which bibliographies the settings of a project name for its Markdown drafts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from cite_lsp.library.entries import Problem
from cite_lsp.library.load.read import Reader
from cite_lsp.project.bibliographies.bibliography_paths import resolve
from cite_lsp.project.files.book import Book
from cite_lsp.project.files.inclusion import DraftFiles
from cite_lsp.project.files_on_disk import unread_reason
from cite_lsp.project.folders import absolute
from cite_lsp.storage.regular_files import LARGEST_SETTINGS

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


def configured_bibliographies(
    folders: Sequence[Path],
    book: Book | None,
    files: DraftFiles,
    read: Reader,
    patience: float,
) -> tuple[list[Path], list[Problem]]:
    """Return the bibliographies that Quarto, bookdown or MyST would add to a Markdown file."""
    named, homes, problems = configured(folders, read)
    if book is not None:
        named += ((book.path, name) for name in book.bibliographies)
    paths = [resolve(name, [source.parent], folders, patience) for source, name in named]
    for home in homes:
        # A bookdown book names its bibliographies in the front matter of its first file.
        for index in (home / "index.Rmd", home / "index.qmd"):
            first = files.open(index, read)
            for declaration in first.declarations if first else ():
                paths.append(resolve(declaration.path, [home], folders, patience))
    return [path for path in paths if path is not None], problems


def configured(
    folders: Iterable[Path], read: Reader
) -> tuple[list[tuple[Path, str]], list[Path], list[Problem]]:
    """Read the configuration files of Quarto, bookdown, Jupyter Book, MyST and Sphinx in folders.

    Returns:
        The bibliographies as (configuration file, name as written), the folders of Quarto or
        bookdown, and the problems met.
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
    field_names = [field[-1] for field in fields] if fields else ["bibliography", "metadata-files"]
    if not any(name in text for name in field_names):
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
    values_by_name = (list(dict.fromkeys(_texts_of_field(document, name))) for name in field_names)
    return next(values_by_name), next(values_by_name), []


def _texts_of_field(document: object, name: str) -> Iterator[str]:
    """Yield the texts of a field, at the top or (Quarto) below `book` and `format`."""
    if not isinstance(document, dict):
        return
    yield from _text_list(document.get(name))
    for part in ("book", "website", "format", "html", "pdf", "docx"):
        yield from _texts_of_field(document.get(part), name)


def _texts_at(document: object, field: Sequence[str]) -> list[str]:
    for name in field:
        document = document.get(name) if isinstance(document, dict) else None
    return _text_list(document)


def _text_list(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str) and text.strip()]
