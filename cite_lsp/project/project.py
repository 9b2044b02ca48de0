"""Which files a draft consists of, and which bibliographies it uses."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from threading import Lock

from attrs import evolve, field, frozen

from cite_lsp.library.entries import Bibliography, Problem
from cite_lsp.library.formats.bbl import MARK
from cite_lsp.library.formats.entry_sets import is_of_sets
from cite_lsp.library.load.read import Reader
from cite_lsp.manuscript import Document, Manuscript, Place, named_commands
from cite_lsp.project.bibliographies.bibliography_paths import is_dispensable, nearby
from cite_lsp.project.bibliographies.configured import configured_bibliographies
from cite_lsp.project.bibliographies.declarations import (
    MOST_BIBLIOGRAPHIES,
    Declared,
    declarations,
    too_many_bibliographies,
)
from cite_lsp.project.bibliographies.filecontents import embedded_bibliographies
from cite_lsp.project.bibliographies.inline_bibliographies import TYPESET, InlineBibliographies
from cite_lsp.project.bibliographies.kpathsea import PATIENCE
from cite_lsp.project.files.inclusion import DraftFiles, IncludedFiles
from cite_lsp.project.files.main_files import MainFiles, TracedDraft, may_be_main
from cite_lsp.project.folders import absolute, files_in, folders_above, folders_reached
from cite_lsp.project.key_case import folds_case
from cite_lsp.storage.caches import LastUsed, Turns

_PROJECTS_HELD = 32
"""How many projects, those used last, stay in memory however long they are."""
_PROJECTS_MOST = 500
_MOST_CHARACTERS = 4_000_000
"""Characters of parsed drafts, 8 to 40 bytes each, from which on other projects are dropped."""
_LATEX = ".tex"
_DROPPED_AT_ONCE = 1 / 8
"""Share of the projects: finding out which files the others use costs time for each project."""


@frozen
class Project:
    """A draft: its files and its bibliographies.

    Attributes:
        root: The main file; the opened one where no other includes it.
        files: Each file with its parsed text, in reading order; the opened one always among them.
        bibliographies: The files to read, in the order in which they are named, each once; missing
            ones too.
        declared: Where a draft file names a bibliography, and the path that it leads to; a file of
            the draft where one of them holds it (`filecontents`).
        inline: The bibliographies in draft files, one for each; if all that are named are missing,
            the one that BibTeX or Biber has made of them (.bbl), too.
        problems: What is wrong with the files that say where bibliographies are.
        places: For each file the number of the one that reads it in and the offset there, or None.
        packages: The packages and classes of the draft's own; they are none of its files.
        folds_case: Whether it is made by BibTeX, which finds a key whatever its case.
        beside: The other drafts that the opened file is a part of, and those whose keys it takes
            over by xr or xcite: what they can cite can be cited there, too.
        in_myst: Whether it belongs to a project of MyST, in which a DOI is a key.
        chapters: The files that its project lists, if it is a book.
        names_none: Whether nothing names the bibliographies: they lie near the draft.
    """

    root: Path
    files: tuple[tuple[Path, Manuscript], ...] = field(repr=False)
    bibliographies: tuple[Path, ...] = ()
    declared: tuple[Declared, ...] = field(default=(), repr=False)
    inline: tuple[Bibliography, ...] = field(default=(), repr=False)
    problems: tuple[Problem, ...] = ()
    places: tuple[Place | None, ...] = field(default=(), repr=False)
    packages: tuple[Path, ...] = ()
    folds_case: bool = False
    beside: tuple[Project, ...] = field(default=(), repr=False)
    in_myst: bool = False
    chapters: tuple[Path, ...] = field(default=(), repr=False)
    names_none: bool = False

    def manuscript(self, path: Path) -> Manuscript | None:
        """Return the parsed text of a file of the draft."""
        return dict(self.files).get(absolute(path))

    def read_in_by(self, path: Path) -> tuple[Path, ...]:
        """Return a file of the draft and those that it includes, directly or not, in order.

        The first chapter of a book stands for all of them.
        """
        path = absolute(path)
        first = {path, *(self.chapters if path == self.root else ())}
        included: dict[int, Path] = {}
        for number, (file, _) in enumerate(self.files):
            place = self.places[number]
            if file in first or (place is not None and place[0] in included):
                included[number] = file
        return tuple(included.values())

    @cached_property
    def document(self) -> Document:
        """The parsed files in reading order."""
        return Document(tuple(manuscript for _, manuscript in self.files), self.places)


class ProjectCache:
    """Opens projects. Thread-safe; after a change in one file only that file is parsed again.

    While nothing changes the same project, of the same manuscripts, is returned.
    """

    def __init__(
        self,
        cite_commands: Iterable[str] = (),
        buffer: Reader | None = None,
        lingers: Callable[[Path], bool] = lambda path: False,
        patience: float = PATIENCE,
    ) -> None:
        r"""Take the names of commands that cite besides those that are known (`\mycite`).

        `buffer` returns the text of a file that is open in an editor, else None. `lingers` says
        whether a bibliography that is gone counts still, as another may be about to take its place.
        `patience` is how many seconds each bibliography may take that TeX itself is asked for.
        """
        self._buffer = buffer
        self._lingers = lingers
        self._patience = patience
        self._lock = Lock()
        self._opening: Turns[Path] = Turns()
        self._files = DraftFiles(named_commands(cite_commands))
        self._main_files = MainFiles(self._files, buffer)
        self._inline = InlineBibliographies()
        self._nearby_by_folder: LastUsed[Path, list[Path]] = LastUsed(None)
        self._projects: dict[Path, Project] = {}

    def open(
        self,
        path: Path,
        read: Reader,
        workspace: Path | None = None,
        elsewhere: Sequence[Path] = (),
    ) -> Project:
        """Find the files of the draft that a file belongs to, and the bibliographies that it uses.

        The main file is the one that `% !TeX root` or the subfiles class names, the file itself if
        it has a document class, or else a file of the same folder or above that includes it; of
        several one that names a bibliography; the drafts of the others are those `beside`. Where
        the draft has no bibliography, the .bib files of its folder are used, or of the nearest one
        above within the workspace. One that is named and missing is looked for `elsewhere` too.
        """
        path = absolute(path)
        workspace = absolute(workspace) if workspace else None
        with self._opening.of(path):
            project = self._open(path, _once(read), workspace, elsewhere)
            with self._lock:
                project_before = self._projects.pop(path, project)
                # Equal projects hold the same manuscripts: those are compared by identity.
                self._projects[path] = project = (
                    project_before if project_before == project else project
                )
                self._let_go()
            return project

    def forget_others(self, paths: Collection[Path]) -> None:
        """Drop the projects that were opened at other files than these."""
        opened = set(map(absolute, paths))
        with self._lock:
            self._projects = {
                path: project for path, project in self._projects.items() if path in opened
            }
            self._drop_unused_files()

    def _let_go(self) -> None:
        """Drop the projects used least recently, and what no project holds, until all fits."""
        if self._fits():
            return
        self._drop_unused_files()
        while (left := len(self._projects) - _PROJECTS_HELD) > 0 and not self._fits():
            oldest = islice(self._projects, min(left, 1 + int(left * _DROPPED_AT_ONCE)))
            for path in tuple(oldest):
                del self._projects[path]
            self._drop_unused_files()

    def _fits(self) -> bool:
        few = len(self._projects) <= _PROJECTS_MOST
        return few and self._files.characters <= _MOST_CHARACTERS

    def _drop_unused_files(self) -> None:
        in_use = set(self._projects)
        for opened in self._projects.values():
            for project in (opened, *opened.beside):
                in_use.update((project.root, *project.packages))
                in_use.update(path for path, _ in project.files)
                in_use.update(bibliography.path for bibliography in project.inline)
        self._files.forget_others(in_use)
        self._main_files.forget_unless(in_use.__contains__)
        self._inline.forget_others(in_use)
        self._nearby_by_folder.forget_unless({path.parent for path in in_use}.__contains__)

    def _open(
        self, path: Path, read: Reader, workspace: Path | None, elsewhere: Sequence[Path]
    ) -> Project:
        manuscript = self._files.open(path, read)
        if manuscript is None:
            return Project(path, ())
        drafts = [
            self._read_as(traced, path, manuscript, read, workspace, elsewhere)
            for traced in self._main_files.trace(path, manuscript, read, workspace)
        ]
        first, *others = sorted(drafts, key=self._preference)
        beside = tuple(draft for draft in others if draft.declared or draft.inline)
        beside += tuple(self._externals(first, read, workspace, elsewhere))
        return evolve(first, beside=beside) if beside else first

    def _externals(
        self, project: Project, read: Reader, workspace: Path | None, elsewhere: Sequence[Path]
    ) -> Iterator[Project]:
        """Yield the other documents whose keys a draft takes over (xr, xcite)."""
        seen = {path for path, _ in project.files}
        for path, manuscript in project.files:
            for external in manuscript.layout.externals:
                for folder in (project.root.parent, path.parent):
                    root = absolute(folder / (external.path.removesuffix(".tex") + ".tex"))
                    other = None if root in seen else self._files.open(root, read)
                    seen.add(root)
                    if other is not None:
                        traced = TracedDraft(root, self._files.follow(root, read))
                        yield self._read_as(traced, root, other, read, workspace, elsewhere)

    def _preference(self, project: Project) -> tuple[bool, bool]:
        """Return what is lower the more likely it is that the writer means this draft."""
        is_open = self._buffer is not None and self._buffer(project.root) is not None
        return not is_open, not (project.declared or project.inline)

    def _read_as(
        self,
        traced: TracedDraft,
        path: Path,
        manuscript: Manuscript,
        read: Reader,
        workspace: Path | None,
        elsewhere: Sequence[Path],
    ) -> Project:
        root, reading, book = traced.root, traced.files, traced.book
        files = dict(reading.files)
        files.setdefault(path, manuscript)
        project_folders = folders_above(path.parent, workspace)
        folders = list(dict.fromkeys((*project_folders, *elsewhere)))
        embedded = embedded_bibliographies(root, files)
        problems = [
            Problem(file, files[file].text.count("\n", 0, offset) + 1, reason)
            for file, offset, reason in reading.unread
        ]
        declared = tuple(declarations(root, files, folders, embedded, self._patience, problems))
        targets = (target for _, _, target in declared)
        paths = [path for path in targets if path not in files and not is_dispensable(path)]
        if files.get(root, manuscript).format == "markdown":
            reached = folders_reached(root.parent, workspace)
            reached = list(dict.fromkeys((*project_folders, *reached)))
            named, unusable = configured_bibliographies(
                reached, book, self._files, read, self._patience
            )
            paths.extend(named)
            problems.extend(unusable)
        holding = dict(files)
        if paths and not any(map(os.path.exists, paths)):
            holding |= self._typeset(root, read)
        inline = tuple(self._inline.read(root, holding, embedded.values()))
        names_none = not paths and all(map(is_of_sets, inline))
        if names_none:
            paths = self._nearby(path.parent, workspace)
            if not paths and manuscript.format == "markdown":
                paths = self._named_by_tex(project_folders, read)
            if len(paths) > MOST_BIBLIOGRAPHIES:
                problems.append(too_many_bibliographies(path, 1))
                paths = paths[:MOST_BIBLIOGRAPHIES]
        return Project(
            root=root,
            files=tuple(files.items()),
            bibliographies=tuple(dict.fromkeys(paths)),
            declared=declared,
            inline=inline,
            problems=tuple(problems),
            places=_places(reading),
            packages=tuple(reading.packages),
            folds_case=_folds_case(files.get(root, manuscript), reading, read),
            in_myst=book is not None and book.any_target,
            chapters=book.chapters if book is not None else (),
            names_none=names_none,
        )

    def _named_by_tex(self, folders: list[Path], read: Reader) -> list[Path]:
        """Return the bibliographies that the nearest main file of LaTeX names, those that exist.

        A Markdown file in its folder, or below, may be a chapter that a program converts.
        """
        for root in (root for folder in folders for root in files_in(folder, _LATEX)):
            text = read(root)
            alone = text and may_be_main(_LATEX, text) and self._files.open(root, read)
            if alone:
                named = declarations(root, {root: alone}, folders, {}, self._patience, [])
                paths = [path for _, _, path in named if os.path.isfile(path)]
                if paths:
                    return paths
        return []

    def _nearby(self, folder: Path, workspace: Path | None) -> list[Path]:
        """Return the bibliographies near a folder; the previous ones while one of them lingers."""
        paths = nearby(folder, workspace)[: MOST_BIBLIOGRAPHIES + 1]
        before = self._nearby_by_folder.get(folder) or []
        vanishing = [path for path in before if path not in paths and self._lingers(path)]
        if vanishing:
            return [path for path in before if path in paths or path in vanishing]
        return self._nearby_by_folder.keep(folder, paths)

    def _typeset(self, root: Path, read: Reader) -> dict[Path, Manuscript]:
        """Return the bibliography made of those of a draft by BibTeX or Biber, if it is there.

        A draft from arXiv comes with that one alone. Where there is another it is out of date.
        """
        path = root.with_suffix(TYPESET)
        manuscript = self._files.open(path, read, "latex") if os.path.isfile(path) else None
        if manuscript is None or not (manuscript.items or MARK in manuscript.text):
            return {}
        return {path: manuscript}


def _once(read: Reader) -> Reader:
    """Return a reader that reads each file once: the files of a draft are looked at many times."""
    texts: dict[Path, str | None] = {}

    def reading(path: Path) -> str | None:
        if path not in texts:
            texts[path] = read(path)
        return texts[path]

    return reading


def _folds_case(main: Manuscript, reading: IncludedFiles, read: Reader) -> bool:
    packages = (read(path) or "" for path in reading.packages)
    return folds_case(main.format, reading.files.values(), packages)


def _places(reading: IncludedFiles) -> tuple[Place | None, ...]:
    """Return where each file is read in, the including file by its number in reading order."""
    number = {path: place for place, path in enumerate(reading.files)}
    places: list[Place | None] = []
    for path in reading.files:
        including = reading.places.get(path)
        places.append((number[including[0]], including[1]) if including else None)
    return tuple(places)
