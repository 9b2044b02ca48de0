"""Which bibliographies the settings of a project name for its Markdown drafts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cite_lsp.library.load.read import Reader
from cite_lsp.library.model import Problem
from cite_lsp.project.bibliographies.bibliography_paths import configured, resolve
from cite_lsp.project.files.book import Book
from cite_lsp.project.files.inclusion import DraftFiles


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
        named += ((book.path, written) for written in book.bibliographies)
    paths = [resolve(written, [source.parent], folders, patience) for source, written in named]
    for home in homes:
        # A bookdown book names its bibliographies in the front matter of its first file.
        for index in (home / "index.Rmd", home / "index.qmd"):
            first = files.open(index, read)
            for declaration in first.declarations if first else ():
                paths.append(resolve(declaration.path, [home], folders, patience))
    return [path for path in paths if path is not None], problems
