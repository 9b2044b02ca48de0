"""Which files a change of a key concerns: the drafts that share a bibliography, open or on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import frozen

from cite_lsp.library.model import Bibliography
from cite_lsp.manuscript import Manuscript, format_of
from cite_lsp.server.request import Request

_MOST_FILES = 5000
"""Files of a workspace that are looked at; a folder with more is not one of drafts."""
_SKIPPED = frozenset("node_modules __pycache__ venv env site-packages build dist".split())


@frozen
class Scope:
    """Drafts and the bibliographies that they use, each file once."""

    drafts: tuple[tuple[Path, Manuscript], ...]
    bibliographies: tuple[Bibliography, ...]


def scope_of(request: Request, key: str | None = None) -> Scope:
    """Return the drafts that share a bibliography with the document, and all they cite from.

    With a key, only files that hold it, in any capitals, are read: for all that one wants to know
    about this key.
    """
    drafts: dict[Path, Manuscript] = {}
    bibliographies: dict[str, Bibliography] = {}
    if request.is_bibliography:
        _add(bibliographies, [request.bibliography()])
    else:
        own = request.draft()
        drafts.update(own.project.files)
        _add(bibliographies, own.library.bibliographies)
    wanted = frozenset(bibliographies)
    seen = set(drafts)
    lower = "" if key is None else key.lower()
    for path in _candidates(request):
        if request.cancelled():
            break
        if path in seen:
            continue
        text = request.documents.read(path)
        if text is None or lower not in text.lower():
            continue
        draft = request.recommender.draft(path)
        seen.update(file for file, _ in draft.project.files)
        if wanted.intersection(map(_name, draft.library.bibliographies)):
            drafts.update(draft.project.files)
            _add(bibliographies, draft.library.bibliographies)
    return Scope(tuple(drafts.items()), tuple(bibliographies.values()))


def _add(known: dict[str, Bibliography], found: Iterable[Bibliography]) -> None:
    for bibliography in found:
        known.setdefault(_name(bibliography), bibliography)


def _name(bibliography: Bibliography) -> str:
    return os.path.realpath(bibliography.path)


def _candidates(request: Request) -> Iterator[Path]:
    """Yield the drafts that are open, then those in the folders of the workspace."""
    for document in request.documents.snapshot().values():
        if format_of(document.path) is not None:
            yield document.path
    folders = [
        folder for folder in request.engine.workspaces if request.path.is_relative_to(folder)
    ] or [request.path.parent]
    count = 0
    for folder in folders:
        for place, below, names in os.walk(folder):
            below[:] = sorted(name for name in below if name[0] != "." and name not in _SKIPPED)
            for name in sorted(names):
                count += 1
                path = Path(place, name)
                if format_of(path) is not None:
                    yield path
            if count > _MOST_FILES:
                return
