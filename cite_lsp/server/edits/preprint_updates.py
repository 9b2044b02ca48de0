"""Code actions that make preprints in a bibliography what a corpus knows to be published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen
from lsprotocol import types

from cite_lsp.library.entries import Bibliography, Entry
from cite_lsp.library.write.bibtex_style import bibtex_habits
from cite_lsp.library.write.preprints import published_record
from cite_lsp.paper import Paper
from cite_lsp.project.draft import keys_in
from cite_lsp.rules.corpus_rules import publications, venue_and_year
from cite_lsp.server.edits.occurrences import entry_around
from cite_lsp.server.session.documents import range_of
from cite_lsp.server.session.request import Request


@frozen
class _Updates:
    """Edits that update at least one entry, and the last of the papers that they are about."""

    edits: list[types.TextEdit]
    paper: Paper


def preprint_updates(request: Request, offset: int) -> Iterator[types.CodeAction]:
    """Yield the actions that make preprints what was published, where a corpus knows that.

    The first is for the entry at an offset, or that of the key which a draft cites there. In a .bib
    file with several such entries another one is for all of them.
    """
    bibliography, entry = _at(request, offset)
    if bibliography is None or entry is None:
        return
    updates = _updates(request, bibliography, [entry])
    if updates is None:
        return
    title = f"Update “{entry.key}” to {venue_and_year(updates.paper)}"
    yield _action(request, entry.path, title, updates)
    if request.is_bibliography:
        updates = _updates(request, bibliography, bibliography.entries) or updates
        if len(updates.edits) > 1:
            title = f"Update all {len(updates.edits)} preprints to their published versions"
            yield _action(request, entry.path, title, updates)


def _action(request: Request, path: Path, title: str, updates: _Updates) -> types.CodeAction:
    edit = request.edit_files({path: updates.edits})
    return types.CodeAction(title, kind=types.CodeActionKind.QuickFix, edit=edit)


def _at(request: Request, offset: int) -> tuple[Bibliography | None, Entry | None]:
    """Return the entry at an offset or cited there, and the bibliography that it stands in."""
    if request.is_bibliography:
        bibliography = request.bibliography()
        return bibliography, entry_around(bibliography, offset)
    draft = request.draft()
    for key in keys_in(draft.manuscript):
        if key.start <= offset <= key.end and (entry := draft.library.get(key.text)):
            files = (file for file in draft.library.bibliographies if file.path == entry.path)
            return next(files, None), entry
    return None, None


def _updates(
    request: Request, bibliography: Bibliography, entries: Sequence[Entry]
) -> _Updates | None:
    """Return the edits that make entries what was published, None where there are none."""
    lines = request.documents.lines(bibliography.path)
    if lines is None:
        return None
    habits = None
    edits: list[types.TextEdit] = []
    updates = None
    for entry, paper in publications(entries, request.recommender.corpora.known):
        if lines.text[entry.start : entry.end] != entry.raw:
            continue  # a copy in another file, say
        habits = habits or bibtex_habits(lines.text, bibliography.entries)
        if record := published_record(entry, paper, habits):
            place = range_of(lines, entry.start, entry.end, request.client.encoding)
            edits.append(types.TextEdit(place, record))
            updates = _Updates(edits, paper)
    return updates
