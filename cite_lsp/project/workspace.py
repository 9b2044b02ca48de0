"""The drafts around a file that share a bibliography with it, open or on disk."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from attrs import frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.library import Library
from cite_lsp.library.entries import Bibliography
from cite_lsp.library.load.read import BIBTEX_SUFFIXES
from cite_lsp.manuscript import Manuscript, format_of
from cite_lsp.project.draft import Draft, DraftReader, Reader
from cite_lsp.project.folders import PROGRAM_FOLDERS, holding

_MOST_FILES = 5000
"""Files of a workspace that are looked at; a folder with more is not one of drafts."""
_MOST_DRAFTS = 8
"""Drafts among which one is looked for that has another bibliography beside the file."""
_MOST_FILES_OF_DRAFTS = 500
"""Files of drafts among which one that knows a key is looked for."""


def is_bibliography(path: Path) -> bool:
    """Whether a path is that of a .bib file."""
    return path.suffix.lower() in BIBTEX_SUFFIXES


@frozen
class Surroundings:
    """A draft or .bib file, and where drafts are looked for that share its bibliographies.

    Those that are `opened` come first, then those in `workspaces`, or if none holds the file, in
    its own folder.
    """

    path: Path
    opened: Collection[Path]
    workspaces: tuple[Path, ...]
    read: Reader
    drafts: DraftReader
    cancelled: Cancel | None = None

    def bibliography(self) -> Bibliography:
        """Return the file, which is a .bib file, as it is read."""
        return self.drafts.library([self.path]).bibliographies[0]

    def candidates(self) -> Iterator[Path]:
        """Yield the drafts that are open, then those in the workspace, the file's folder first."""
        for path in self.opened:
            if format_of(path) is not None:
                yield path
        workspace = next(iter(holding(self.path, self.workspaces)), self.path.parent)
        for path in files_of(dict.fromkeys((workspace, *self.workspaces))):
            if format_of(path) is not None:
                yield path


@frozen
class Scope:
    """Drafts and the bibliographies that they use, each file once, whatever links lead to it."""

    drafts: tuple[tuple[Path, Manuscript], ...]
    bibliographies: tuple[Bibliography, ...]
    folds_case: bool = True
    """Whether one of the drafts is made by BibTeX, to which keys in another case are the same."""


def scope_of(surroundings: Surroundings, key: str | None = None) -> Scope:
    """Return the drafts that share a bibliography with a file, and all they cite from.

    With a key, for all that is to be known about it, the bibliographies to share are those that
    have its entry, and only files that hold it, in any capitals, are read, or that name the file
    where it is a .bib file: others that they name may hold it in turn.
    """
    path = surroundings.path
    drafts: dict[str, tuple[Path, Manuscript]] = {}
    bibliographies: dict[str, Bibliography] = {}
    folding: list[bool] = []
    if is_bibliography(path):
        _add(bibliographies, [surroundings.bibliography()])
    else:
        file_draft = surroundings.drafts.draft(path)
        folding.append(file_draft.project.folds_case)
        _add_files(drafts, file_draft)
        _add(bibliographies, file_draft.library.bibliographies)
    shared = set(_holding(bibliographies, key) or bibliographies)
    waiting = list(_drafts_holding(surroundings, key))
    while sharing := [draft for draft in waiting if not shared.isdisjoint(_names(draft))]:
        waiting = [draft for draft in waiting if shared.isdisjoint(_names(draft))]
        for draft in sharing:
            folding.append(draft.project.folds_case)
            _add_files(drafts, draft)
            _add(bibliographies, draft.library.bibliographies)
        # A chapter of two drafts takes the other's entry, and so the other draft, along.
        shared.update(_holding(bibliographies, key))
    folds_case = any(folding) or not folding
    return Scope(tuple(drafts.values()), tuple(bibliographies.values()), folds_case)


def _drafts_holding(surroundings: Surroundings, key: str | None) -> Iterator[Draft]:
    """Yield the drafts around a file that hold a key (or None), or the name of a .bib file."""
    path = surroundings.path
    seen: set[Path] = set() if is_bibliography(path) else {path}
    words = [""] if key is None else [key.lower()]
    if is_bibliography(path):
        words.append(path.stem.lower())
    for candidate in surroundings.candidates():
        stop_if(surroundings.cancelled)
        text = surroundings.read(candidate) if candidate not in seen else None
        if text is None or not _holds(text, words):
            continue
        draft = surroundings.drafts.draft(candidate)
        seen.add(candidate)
        if key is None:  # the other main files of what it includes are candidates themselves
            seen.update(_files(draft))
        yield draft


def library_around(surroundings: Surroundings, keys: Iterable[str]) -> Library:
    """Return a library to look up keys in that a .bib file names in its fields.

    That is the file alone if it has them all; else that of a draft that uses it, open or on disk,
    if one has them all; else that of an open draft before others.
    """
    alone = surroundings.drafts.library([surroundings.path])
    keys = [key for key in keys if alone.get(key) is None]
    if not keys:
        return alone
    first = None
    for library in libraries_with(surroundings):
        if all(library.get(key) is not None for key in keys):
            return library
        first = first or library
    return first or alone


def library_beside(surroundings: Surroundings) -> Library:
    """Return what the entries of a .bib file can name in their fields.

    That is the library of a draft that uses it beside other files, of an open one if there is;
    without any the file alone. Few drafts are looked at: it is needed with every letter.
    """
    some = islice(libraries_with(surroundings), _MOST_DRAFTS)
    several = (library for library in some if len(library.bibliographies) > 1)
    return next(several, None) or surroundings.drafts.library([surroundings.path])


def libraries_with(surroundings: Surroundings) -> Iterator[Library]:
    """Yield the libraries of drafts that use a file: those of open ones, of others by name.

    Of those that are not open only files that hold its name are read.
    """
    real = os.path.realpath(surroundings.path)
    words = [surroundings.path.stem.lower()]
    seen: set[Path] = set()
    for path in surroundings.candidates():
        stop_if(surroundings.cancelled)
        if len(seen) > _MOST_FILES_OF_DRAFTS:
            return
        if path in seen:
            continue
        if path not in surroundings.opened and not _holds(surroundings.read(path) or "", words):
            continue
        draft = surroundings.drafts.draft(path)
        seen.update(_files(draft))
        if real in _names(draft):
            yield draft.library


def _holds(text: str, words: Iterable[str]) -> bool:
    """Whether a text holds one of some words, in any capitals; the words are in lower case."""
    text = text.lower()
    return any(word in text for word in words)


def _files(draft: Draft) -> dict[Path, Manuscript]:
    files: dict[Path, Manuscript] = {}
    for project in (*draft.project.beside, draft.project):
        files.update(project.files)
    return files


def _names(draft: Draft) -> Iterator[str]:
    return map(_name, draft.library.bibliographies)


def _add_files(files_by_path: dict[str, tuple[Path, Manuscript]], draft: Draft) -> None:
    for path, manuscript in _files(draft).items():
        files_by_path.setdefault(os.path.realpath(path), (path, manuscript))


def _add(by_name: dict[str, Bibliography], bibliographies: Iterable[Bibliography]) -> None:
    for bibliography in bibliographies:
        by_name.setdefault(_name(bibliography), bibliography)


def _name(bibliography: Bibliography) -> str:
    return os.path.realpath(bibliography.path)


def _holding(bibliographies: Mapping[str, Bibliography], key: str | None) -> list[str]:
    """Return the names of the bibliographies that have an entry of a key."""
    return [
        name
        for name, bibliography in bibliographies.items()
        if any(entry.key == key for entry in bibliography.entries)
    ]


def files_of(folders: Collection[Path]) -> Iterator[Path]:
    """Yield the files of some folders, each once; where there are very many, not the last ones."""
    count = 0
    for folder in folders:
        for place, below, names in os.walk(folder):
            below[:] = sorted(
                name
                for name in below
                if name[0] != "."
                and name not in PROGRAM_FOLDERS
                and Path(place, name) not in folders
            )
            for name in sorted(names):
                count += 1
                yield Path(place, name)
            if count > _MOST_FILES:
                return
