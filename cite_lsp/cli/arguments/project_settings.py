"""A draft on the command line: what is no draft, and the settings of its project; options win."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve

from cite_lsp.cli import CommandError
from cite_lsp.cli.printing.output import from_here, warn
from cite_lsp.library import Bibliography, read_bibliography
from cite_lsp.manuscript.parse import format_of
from cite_lsp.project.bibliographies.kpathsea import PATIENCE
from cite_lsp.project.draft import Draft
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.workspace import is_bibliography
from cite_lsp.server.config.draft_settings import DraftSettings
from cite_lsp.server.config.options import Options
from cite_lsp.server.config.setup import Setup, setup_of
from cite_lsp.server.session.engine import build
from cite_lsp.storage.encodings import is_binary
from cite_lsp.storage.regular_files import open_regular

if TYPE_CHECKING:
    from cite_lsp.recommend.engine import DraftRecommender

_LOOKED_INTO = 65536
"""Bytes of a file that show whether it is text."""


def not_a_draft(path: Path, *, bibliographies: bool) -> CommandError:
    """Return the error of why a file is not read as a draft, or as a bibliography either."""
    if not path.exists():
        return CommandError(f"{path}: no such file")
    if not os.access(path, os.R_OK):
        return CommandError(f"{path}: cannot be read; check the path and the permissions")
    if path.is_dir():
        return CommandError(
            f"{path}: is a folder; name a draft in it, such as {path / 'paper.tex'}"
        )
    if format_of(path) is not None:
        if is_binary_file(path):
            return CommandError(f"{path}: is no text; name the draft itself, saved as UTF-8")
        return CommandError(f"{path}: cannot be read; check the path and the permissions")
    if bibliographies:
        expected = (
            "a draft or a bibliography; give a .tex, .md, .qmd, .Rmd, .Rnw, .typ, .org or .bib"
        )
    else:
        expected = "a draft; give a .tex, .md, .qmd, .Rmd, .Rnw, .typ or .org"
    return CommandError(f"{path}: cannot be read as {expected} file")


def expect_draft(path: Path, *, bibliographies: bool = False) -> None:
    """Make sure that a file can be read as a draft, or else as a bibliography.

    Raises:
        CommandError: it cannot.
    """
    is_draft = format_of(path) is not None
    if (
        not (is_draft or (bibliographies and is_bibliography(path)))
        or FilesOnDisk().read(path) is None
        or (is_draft and is_binary_file(path))
    ):
        raise not_a_draft(path, bibliographies=bibliographies)


def is_binary_file(path: Path) -> bool:
    """Whether a file is no text. What is no plain file, such as a pipe, is not read."""
    if not path.is_file():
        return False
    with open_regular(path) as file:
        return is_binary(file.read(_LOOKED_INTO))


def expect_bibliography(path: Path) -> None:
    """Make sure that a bibliography that an option names is there.

    Raises:
        CommandError: it is not, or is a folder.
    """
    if path.is_dir() or not path.exists():
        require_entries(path, read_bibliography(path))


def require_entries(path: Path, bibliography: Bibliography) -> None:
    """Make sure that a bibliography that an option names holds entries.

    Raises:
        CommandError: it does not, or is not there.
    """
    if not bibliography.entries:
        reason = bibliography.problems[0].message if bibliography.problems else "no entries"
        raise CommandError(f"{path}: {reason}")


def warn_of_problems(draft: Draft) -> None:
    """Say what is wrong with a draft that is read all the same."""
    for problem in draft.problems:
        warn(f"{from_here(problem.path)}:{problem.line}: {problem.message}")


def build_recommender(setup: Setup, files: FilesOnDisk) -> DraftRecommender:
    """Build the recommender of a draft that nobody types in; others have settings of their own."""
    settings = DraftSettings()
    return build(setup, files, setups=lambda path: settings.of(path).setup, typing=False)


def project_settings(
    path: Path, bibliographies: Sequence[Path] = (), **chosen: str | Sequence[str] | None
) -> tuple[Options, Setup]:
    """Return the settings for a draft, and what its recommender depends on.

    They stand in the `cite-lsp.toml` files above the draft, an absolute path; what is wrong with
    them is printed on stderr. The bibliographies given stand beside those of the settings; what is
    `chosen` for a setting by its name, and is not None, stands in for it.
    """
    draft_settings = DraftSettings()
    settings = draft_settings.of(path).options
    for line in draft_settings.complaints():
        warn(line)
    named = map(Path, settings.bibliography)
    changes: dict[str, Any] = {
        name: value if isinstance(value, str) else tuple(value)
        for name, value in chosen.items()
        if value is not None
    }
    files = (*named, *(file.absolute() for file in bibliographies))
    setup = setup_of(evolve(settings, **changes), files)
    return settings, evolve(setup, patience=PATIENCE)
