"""Which files a change of a key concerns: the drafts that share a bibliography, open or on disk."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from cite_lsp.library import Library
from cite_lsp.library.model import Bibliography
from cite_lsp.manuscript import Manuscript, format_of
from cite_lsp.server.session.request import Request

if TYPE_CHECKING:
    from cite_lsp.project.draft import Draft

_MOST_FILES = 5000
"""Files of a workspace that are looked at; a folder with more is not one of drafts."""
_DRAFTS_LOOKED_AT = 8
"""Drafts among which one is looked for that has another bibliography beside the document."""
_MOST_FILES_OF_DRAFTS = 500
"""Files of drafts among which one that knows a key is looked for."""
_SKIPPED = frozenset("node_modules __pycache__ venv env site-packages build dist".split())


@frozen
class Scope:
    """Drafts and the bibliographies that they use, each file once, whatever links lead to it."""

    drafts: tuple[tuple[Path, Manuscript], ...]
    bibliographies: tuple[Bibliography, ...]
    folds_case: bool = True
    """Whether one of the drafts is made by BibTeX, to which keys in another case are the same."""


def scope_of(request: Request, key: str | None = None) -> Scope:
    """Return the drafts that share a bibliography with the document, and all they cite from.

    With a key, for all that one wants to know about it, the bibliographies to share are those that
    have its entry, and only files that hold it, in any capitals, are read, or that name the
    document where it is a .bib file: others that they name may hold it in turn.
    """
    drafts: dict[str, tuple[Path, Manuscript]] = {}
    bibliographies: dict[str, Bibliography] = {}
    folding: list[bool] = []
    if request.is_bibliography:
        _add(bibliographies, [request.bibliography()])
    else:
        own = request.draft()
        folding.append(own.project.folds_case)
        _add_files(drafts, own)
        _add(bibliographies, own.library.bibliographies)
    wanted = set(_holding(bibliographies, key) or bibliographies)
    waiting = list(_drafts_holding(request, key))
    while sharing := [one for one in waiting if not wanted.isdisjoint(_names(one))]:
        waiting = [one for one in waiting if wanted.isdisjoint(_names(one))]
        for draft in sharing:
            folding.append(draft.project.folds_case)
            _add_files(drafts, draft)
            _add(bibliographies, draft.library.bibliographies)
        # A chapter of two drafts takes the other's entry, and so the other draft, along.
        wanted.update(_holding(bibliographies, key))
    folds_case = any(folding) or not folding
    return Scope(tuple(drafts.values()), tuple(bibliographies.values()), folds_case)


def _drafts_holding(request: Request, key: str | None) -> Iterator[Draft]:
    """Yield the drafts that files around the document belong to, if those hold a key (or None).

    Where the document is a .bib file they may hold its name instead.
    """
    seen: set[Path] = set() if request.is_bibliography else {request.path}
    words = [""] if key is None else [key.lower()]
    if request.is_bibliography:
        words.append(request.path.stem.lower())
    for path in _candidates(request):
        if request.cancelled():
            return
        text = request.documents.read(path) if path not in seen else None
        if text is None or not _holds(text, words):
            continue
        draft = request.recommender.draft(path)
        seen.add(path)
        if key is None:  # the other main files of what it includes are candidates themselves
            seen.update(_files(draft))
        yield draft


def library_around(request: Request, keys: Iterable[str]) -> Library:
    """Return a library to look up keys in that the document, a .bib file, names in its fields.

    That is the file alone if it has them all; else that of a draft that uses it, open or on disk,
    if one has them all; else that of an open draft before others.
    """
    alone = request.recommender.library([request.path])
    keys = [key for key in keys if alone.get(key) is None]
    if not keys:
        return alone
    found = None
    for library in _libraries_with(request):
        if all(library.get(key) is not None for key in keys):
            return library
        found = found or library
    return found or alone


def library_beside(request: Request) -> Library:
    """Return what the entries of the document, a .bib file, can name in their fields.

    That is the library of a draft that uses it beside other files, of an open one if there is;
    without any the file alone. It is asked for letter by letter, so that few drafts are looked at.
    """
    some = islice(_libraries_with(request), _DRAFTS_LOOKED_AT)
    several = (one for one in some if len(one.bibliographies) > 1)
    return next(several, None) or request.recommender.library([request.path])


def _libraries_with(request: Request) -> Iterator[Library]:
    """Yield the libraries of drafts that use the document: those of open ones, of others by name.

    Of those that are not open only files that hold its name are read.
    """
    real = os.path.realpath(request.path)
    words = [request.path.stem.lower()]
    seen: set[Path] = set()
    opened = request.snapshot
    for path in _candidates(request):
        if request.cancelled() or len(seen) > _MOST_FILES_OF_DRAFTS:
            return
        if path in seen:
            continue
        if path not in opened and not _holds(request.documents.read(path) or "", words):
            continue
        draft = request.recommender.draft(path)
        seen.update(_files(draft))
        if real in _names(draft):
            yield draft.library


def _holds(text: str, words: Iterable[str]) -> bool:
    """Whether a text holds one of some words, in any capitals; the words are in lower case."""
    text = text.lower()
    return any(word in text for word in words)


def _files(draft: Draft) -> dict[Path, Manuscript]:
    """Return the files of a draft, and of those beside it."""
    found: dict[Path, Manuscript] = {}
    for project in (*draft.project.beside, draft.project):
        found.update(project.files)
    return found


def _names(draft: Draft) -> Iterator[str]:
    return map(_name, draft.library.bibliographies)


def _add_files(known: dict[str, tuple[Path, Manuscript]], draft: Draft) -> None:
    for path, manuscript in _files(draft).items():
        known.setdefault(os.path.realpath(path), (path, manuscript))


def _add(known: dict[str, Bibliography], found: Iterable[Bibliography]) -> None:
    for bibliography in found:
        known.setdefault(_name(bibliography), bibliography)


def _name(bibliography: Bibliography) -> str:
    return os.path.realpath(bibliography.path)


def _holding(bibliographies: Mapping[str, Bibliography], key: str | None) -> list[str]:
    """Return the names of the bibliographies that have an entry of a key."""
    return [
        name
        for name, bibliography in bibliographies.items()
        if any(entry.key == key for entry in bibliography.entries)
    ]


def _candidates(request: Request) -> Iterator[Path]:
    """Yield the drafts that are open, then those in the workspace, the document's folder first."""
    for document in request.snapshot.values():
        if format_of(document.path) is not None:
            yield document.path
    own = request.engine.workspace_of(request.path) or request.path.parent
    for path in files_of(dict.fromkeys((own, *request.engine.workspaces))):
        if format_of(path) is not None:
            yield path


def files_of(folders: Collection[Path]) -> Iterator[Path]:
    """Yield the files of some folders, each once; where there are very many, not the last ones."""
    count = 0
    for folder in folders:
        for place, below, names in os.walk(folder):
            below[:] = sorted(
                name
                for name in below
                if name[0] != "." and name not in _SKIPPED and Path(place, name) not in folders
            )
            for name in sorted(names):
                count += 1
                yield Path(place, name)
            if count > _MOST_FILES:
                return
