"""The files that list the chapters of one Markdown draft: Quarto, bookdown, MyST, pandoc.

`_quarto.yml`, `_bookdown.yml` (or an `index.Rmd` whose site is bookdown's), `myst.yml` and
`_toc.yml` of Jupyter Book, and the defaults files of pandoc.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.load.read import Reader
from cite_lsp.manuscript import format_of
from cite_lsp.project.folders import absolute, files_below, files_in

_QUARTO = ("_quarto.yml", "_quarto.yaml")
_BOOKDOWN = ("_bookdown.yml", "_bookdown.yaml")
_SITE_OF_BOOKDOWN = lazy_re(r"^site:[ \t]*[\"']?bookdown::", re.MULTILINE)
_IN_SUBFOLDERS = lazy_re(r"^rmd_subdir:[ \t]*(?:true|yes|on)\b", re.MULTILINE | re.IGNORECASE)
_FRONT = 5000
"""Characters of a first chapter in which its metadata is looked for."""
_MYST = "myst.yml"
_TOC_OF_JUPYTER_BOOK = "_toc.yml"
_MOST_DEFAULTS = 30
_MOST_CHAPTERS = 300
_INDEX = ("index", "readme", "main", "intro")
_NUMBER = lazy_re(r"\d+")


@frozen
class Book:
    """The chapters that a file, `path`, lists, in order; those that are there.

    They are none where a project has none in particular. `reference_kinds` are the kinds of
    cross-references that it adds to those of Quarto, `bibliographies` what it names for all
    chapters. With `any_target`, as in MyST, `@name` refers to any target of the project.
    """

    path: Path
    chapters: tuple[Path, ...] = ()
    reference_kinds: frozenset[str] = frozenset()
    bibliographies: tuple[str, ...] = ()
    any_target: bool = False


def book_of(path: Path, folders: Sequence[Path], read: Reader) -> Book | None:
    """Return the book that a file is a chapter of, the nearest one, or None.

    `folders` are those where the file may be that lists it, nearest first. Where no book lists it,
    the project of Quarto or MyST that it lies in comes without chapters.
    """
    settings = None
    for folder in folders:
        for books in (_quarto, _bookdown, _myst, _jupyter_book, _pandoc):
            for book in books(folder, read):
                if path in book.chapters:
                    return book
                if settings is None and (book.any_target or book.path.name in _QUARTO):
                    settings = evolve(book, chapters=())
    return settings


def _quarto(folder: Path, read: Reader) -> Iterator[Book]:
    for name in _QUARTO:
        values = _values(read(folder / name))
        if values:
            book = _table(values.get("book"))
            listed = [*_listed(book.get("chapters")), *_listed(book.get("appendices"))]
            custom = _table(values.get("crossref")).get("custom")
            kinds = (_table(kind).get("key") for kind in _list(custom))
            yield Book(
                folder / name,
                _present(folder, listed),
                frozenset(kind for kind in kinds if isinstance(kind, str)),
            )


def _bookdown(folder: Path, read: Reader) -> Iterator[Book]:
    for name in _BOOKDOWN:
        text = read(folder / name)
        if text is not None:
            below = _IN_SUBFOLDERS.search(text) is not None
            yield Book(folder / name, _chapters_of_bookdown(folder, _values(text), below))
            return
    for index in (folder / "index.Rmd", folder / "index.rmd"):
        if _SITE_OF_BOOKDOWN.search((read(index) or "")[:_FRONT]):
            yield Book(index, _chapters_of_bookdown(folder, {}, False))
            return


def _chapters_of_bookdown(
    folder: Path, values: dict[str, Any], in_subfolders: bool
) -> tuple[Path, ...]:
    """Return the files that bookdown merges: those named, or all of the folder, index first."""
    named = values.get("rmd_files")
    if isinstance(named, dict):  # one list for each format of the output
        named = [file for files in named.values() for file in _list(files)]
    chapters = list(_present(folder, _texts(named)))
    if not chapters:
        chapters = [path for path in files_in(folder, ".rmd") if not path.name.startswith("_")]
    if in_subfolders:
        chapters += (path for path in files_below(folder, ".rmd") if path.parent != folder)
    for subfolder in _texts(values.get("rmd_subdir")):
        chapters += files_in(absolute(folder / subfolder), ".rmd")
    chapters.sort(key=lambda path: path.stem.lower() != "index")
    return tuple(dict.fromkeys(chapters))


def _myst(folder: Path, read: Reader) -> Iterator[Book]:
    text = read(folder / _MYST)
    if text is None:
        return
    project = _table(_values(text).get("project"))
    named = tuple(_texts(project.get("bibliography")))
    chapters = _present(folder, _listed(project.get("toc")))
    if not chapters:
        chapters = next((book.chapters for book in _jupyter_book(folder, read)), ())
    if not chapters:
        chapters = _pages(folder, list(_texts(project.get("exclude"))))
    if not named:
        named = tuple(str(path) for path in files_below(folder, ".bib"))
    yield Book(folder / _MYST, chapters, bibliographies=named, any_target=True)


def _pages(folder: Path, excluded: Sequence[str]) -> tuple[Path, ...]:
    """Return all pages below a folder in the order in which MyST lists them by itself."""
    pages = (
        path
        for path in files_below(folder, ".md")
        if not any(fnmatch.fnmatch(path.relative_to(folder).as_posix(), name) for name in excluded)
    )
    return tuple(sorted(pages, key=lambda path: _page_order(path, folder)))[:_MOST_CHAPTERS]


def _page_order(path: Path, folder: Path) -> tuple[list[str], int, str]:
    *above, _ = path.relative_to(folder).parts
    stem = path.stem.lower()
    place = _INDEX.index(stem) if stem in _INDEX else len(_INDEX)
    return [_in_numbers(name) for name in above], place, _in_numbers(stem)


def _in_numbers(name: str) -> str:
    """Return a name by which the second chapter comes before the tenth."""
    return _NUMBER.sub(lambda number: number.group().zfill(8), name.lower())


def _jupyter_book(folder: Path, read: Reader) -> Iterator[Book]:
    values = _values(read(folder / _TOC_OF_JUPYTER_BOOK))
    if values:
        yield Book(folder / _TOC_OF_JUPYTER_BOOK, _present(folder, _listed(values)))


def _pandoc(folder: Path, read: Reader) -> Iterator[Book]:
    beside = files_in(folder / "defaults", ".yml", ".yaml")
    for path in [*files_in(folder, ".yml", ".yaml"), *beside][:_MOST_DEFAULTS]:
        text = read(path)
        if text is None or "input-file" not in text:
            continue
        values = _values(text)
        input_files = [*_texts(values.get("input-files")), *_texts(values.get("input-file"))]
        names = [name.replace("${.}/", "") for name in input_files]
        metadata = _table(values.get("metadata"))
        named = [*_texts(values.get("bibliography")), *_texts(metadata.get("bibliography"))]
        for base in (path.parent, *path.parents[1:3]):  # from where pandoc is called is not known
            if chapters := _present(base, names):
                paths = (absolute(base / name.replace("${.}/", "")) for name in named)
                yield Book(path, chapters, bibliographies=tuple(map(str, paths)))
                break


def _listed(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the files that a list of chapters names, those of its parts and sections too."""
    if depth > 12:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _listed(item, depth + 1)
    elif isinstance(value, dict):
        for name in ("root", "part", "file", "pattern", "glob", "href"):
            if isinstance(value.get(name), str):
                yield value[name]
        for name in ("chapters", "parts", "sections", "children", "subtrees", "entries"):
            if isinstance(value.get(name), list):
                yield from _listed(value[name], depth + 1)


def _present(folder: Path, names: Iterable[str]) -> tuple[Path, ...]:
    """Return the Markdown files that names lead to, with or without their ending."""
    chapters: dict[Path, None] = {}
    for name in dict.fromkeys(names):
        if "://" in name or "\0" in name or not name.strip():
            continue
        path = absolute(folder / name.strip())
        if "*" in name:
            matching: Sequence[Path] = sorted(folder.glob(name.strip()))[:_MOST_CHAPTERS]
        else:
            matching = (path, path.with_name(path.name + ".md"))
        for candidate in matching:
            if format_of(candidate) == "markdown" and os.path.isfile(candidate):
                chapters[candidate] = None
                if "*" not in name:
                    break
        if len(chapters) >= _MOST_CHAPTERS:
            break
    return tuple(chapters)


def _values(text: str | None) -> dict[str, Any]:
    return _parsed(text) if text else {}


@lru_cache(maxsize=64)
def _parsed(text: str) -> dict[str, Any]:
    """Return what a file in YAML holds, nothing where it is not valid."""
    # Imported where needed: most drafts belong to no book.
    import yaml

    from cite_lsp.manuscript.text.bounded_yaml import compose, values_of

    try:
        values = values_of(compose(text))
    except yaml.YAMLError:
        return {}
    return values if isinstance(values, dict) else {}


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _texts(value: object) -> Iterator[str]:
    return (text for text in _list(value) if isinstance(text, str) and text.strip())
