"""Drafts on the writer's disk: the opened file, its project, and the library it cites from."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path

from attrs import evolve, frozen

from cite_lsp.library import Bibliography, Library, LibraryCache, Problem
from cite_lsp.library.entries import Entry
from cite_lsp.library.formats.zotero_part import WHOLE, ZoteroPart
from cite_lsp.manuscript import (
    Document,
    Manuscript,
    format_of,
    parse,
)
from cite_lsp.project.bibliographies.kpathsea import PATIENCE, awaited
from cite_lsp.project.folders import holding
from cite_lsp.project.project import Project, ProjectCache

Reader = Callable[[Path], str | None]
"""Returns the text of a file, None where it cannot be read."""


@frozen
class Draft:
    """A draft as it stands now: the opened file, its project, the library it cites from."""

    path: Path
    manuscript: Manuscript
    project: Project
    library: Library

    @property
    def document(self) -> Document:
        """All files of the draft in reading order."""
        return self.project.document

    def opened_at(self, path: Path) -> Draft:
        """Return the same draft with another of its files as the opened one.

        Raises:
            KeyError: that is no file of the draft.
        """
        return evolve(self, path=path, manuscript=dict(self.project.files)[path])

    def takes_over(self, key: str) -> bool:
        """Whether a key is one of an external document, behind the prefix that it has here."""
        return any(
            key.startswith(prefix) and self.library.get(key.removeprefix(prefix)) is not None
            for prefix in self._prefixes
        )

    @cached_property
    def _prefixes(self) -> frozenset[str]:
        """The prefixes that the labels and keys of external documents have here."""
        return frozenset(
            external.prefix
            for _, manuscript in self.project.files
            for external in manuscript.layout.externals
        )

    @property
    def bibliographies(self) -> tuple[Bibliography, ...]:
        """The bibliographies of the library without those that only neighbouring drafts name."""
        others = self._only_in_neighbours
        return tuple(
            bibliography
            for bibliography in self.library.bibliographies
            if bibliography.path not in others
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the files of the project and its bibliographies."""
        others = self._only_in_neighbours
        all_problems = self.project.problems + self.library.problems
        return tuple(
            problem
            for problem in all_problems
            if problem.path not in others and (self.project.folds_case or not problem.of_case)
        )

    def cited_entry(self, key: str) -> Entry | None:
        """Return the entry that a key cites in print: in its very case, but for BibTeX."""
        entry = self.library.exact(key)
        if entry is None and self.project.folds_case:
            folded = self.library.get(key)
            entry = folded if folded is not None and folded.source == "bibtex" else None
        return entry

    def has(self, entry: Entry) -> bool:
        """Whether an entry stands in a file that the draft or a neighbour names, or in these."""
        if entry.source == "zotero":
            return False
        paths = _bibliographies_of((self.project, *self.project.beside))
        # The usual case needs not ask the disk.
        return entry.path in paths or os.path.realpath(entry.path) in map(os.path.realpath, paths)

    @property
    def _only_in_neighbours(self) -> set[Path]:
        """The paths of the bibliographies that only neighbouring drafts name or contain."""
        return _bibliographies_of(self.project.beside) - _bibliographies_of((self.project,))


def _bibliographies_of(projects: Iterable[Project]) -> set[Path]:
    """Return the paths of the bibliographies that projects name or contain."""
    return {
        path
        for project in projects
        for path in (*project.bibliographies, *(inline.path for inline in project.inline))
    }


class DraftReader:
    """Reads drafts and their libraries, and renews only what has changed. Thread-safe."""

    def __init__(
        self,
        read: Reader,
        buffer: Reader | None = None,
        *,
        extra_bibliographies: Sequence[Path] = (),
        zotero: ZoteroPart = WHOLE,
        workspaces: Sequence[Path] = (),
        cite_commands: Sequence[str] = (),
        patience: float = PATIENCE,
    ) -> None:
        """Take what returns the text of a file, and of an open buffer alone.

        All drafts can cite from `extra_bibliographies`, behind those that they name. `zotero` is
        the part that counts of Zotero's database, whoever names that. `patience` is how many
        seconds a bibliography may take that TeX itself is asked for.
        """
        self._read = read
        self._extra = tuple(extra_bibliographies)
        self._workspaces = tuple(workspaces)
        self._libraries = LibraryCache(buffer, zotero)
        self._projects = ProjectCache(cite_commands, buffer, self._libraries.lingers, patience)

    def draft(self, path: Path) -> Draft:
        """Read a draft and its library as they stand now."""
        # The outermost one: the main file of a chapter may well stand above the chapter's folder.
        border = next(reversed(holding(path, self._workspaces)), None)
        project = self._projects.open(path, self._read, border, self._workspaces)
        manuscript = project.manuscript(path) or parse("", format_of(path) or "markdown")
        drafts = (project, *project.beside)
        named = dict.fromkeys(path for draft in drafts for path in draft.bibliographies)
        inline: dict[Path, Bibliography] = {}
        for bibliography in (bibliography for draft in drafts for bibliography in draft.inline):
            inline.setdefault(bibliography.path, bibliography)
        in_pandoc = manuscript.format == "markdown"
        paths = _last_first(named, drafts) if in_pandoc else tuple(named)
        library = self._libraries.load(
            (*paths, *self._extra),
            tuple(inline.values()),
            inline_first=in_pandoc,
            by_doi=project.in_myst,
        )
        return Draft(path, manuscript, project, library)

    def forget_others(self, paths: Collection[Path]) -> None:
        """Forget the drafts that were read at other files than these; they can be read again."""
        self._projects.forget_others(paths)

    def library(self, paths: Sequence[Path]) -> Library:
        """Return the library of some bibliography files, whoever uses them."""
        return self._libraries.load(paths)

    def unsettled(self, library: Library) -> float | None:
        """Return in how many seconds a library may change though no file does.

        It may where a file seems half written, or where TeX may find one.
        """
        missing = (
            bibliography.path for bibliography in library.bibliographies if not bibliography.entries
        )
        waits = [awaited(path.name, path.parent) for path in missing if not os.path.isfile(path)]
        waits.append(self._libraries.unsettled(library))
        return min((wait for wait in waits if wait is not None), default=None)


def _last_first(paths: Iterable[Path], drafts: Sequence[Project]) -> tuple[Path, ...]:
    """Return the bibliographies in the order in which pandoc prefers them: the last one first.

    What a project names for all of its drafts comes behind what a draft names.
    """
    declared = {path for draft in drafts for _, _, path in draft.declared}
    return tuple(sorted(reversed(tuple(paths)), key=lambda path: path not in declared))
