"""What corpora know of the papers of a bibliography: one was retracted, another published.

An entry that says so itself is passed over: its writer knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from cite_lsp.library.model import Bibliography, Entry
from cite_lsp.library.text.display import shortened
from cite_lsp.library.write.bibtex_style import bibtex_habits
from cite_lsp.library.write.preprints import is_preprint, is_publication, published_record
from cite_lsp.paper import Paper
from cite_lsp.rules.findings import Finding
from cite_lsp.server.edits.occurrences import cited, entry_around
from cite_lsp.server.session.documents import range_of
from cite_lsp.server.session.request import Request

if TYPE_CHECKING:
    from cite_lsp.project.draft import Draft

_LONGEST_VENUE = 80


def retracted_citations(request: Request, draft: Draft) -> Iterator[Finding]:
    """Yield the places of a draft where it cites what a corpus calls retracted."""
    keys = list(cited(draft.manuscript))
    entries = {key.text: draft.library.get(key.text) for key in keys}
    found = _retracted(request, list({id(one): one for one in entries.values() if one}.values()))
    for key in keys:
        entry = entries[key.text]
        if entry is not None and (corpus := found.get(entry.key)):
            yield _retraction(draft.path, key.start, key.end, key.text, corpus)


def retracted_entries(request: Request, bibliography: Bibliography) -> Iterator[Finding]:
    """Yield the entries of a bibliography that a corpus calls retracted."""
    found = _retracted(request, bibliography.entries)
    for entry in bibliography.entries:
        if corpus := found.get(entry.key):
            yield _retraction(entry.path, entry.key_start, entry.key_end, entry.key, corpus)


def preprints(request: Request, bibliography: Bibliography) -> Iterator[Finding]:
    """Yield the entries of a bibliography that are preprints of what a corpus knows published."""
    for entry, paper in _publications(request, bibliography.entries):
        yield Finding(
            "preprint",
            entry.path,
            entry.key_start,
            entry.key_end,
            f'"{entry.key}" is a preprint of what was published: {_where(paper)}',
            "hint",
        )


def publishing(request: Request, offset: int) -> Iterator[types.CodeAction]:
    """Yield the actions that make preprints what was published, where a corpus knows that.

    One is for the entry at an offset, or that of the key which a draft cites there, and in a .bib
    file with several such entries one is for all of them.
    """
    bibliography, entry = _at(request, offset)
    if (
        bibliography is None
        or entry is None
        or not (own := _updates(request, bibliography, [entry]))
    ):
        return
    edits, paper = own
    yield _action(request, entry.path, f"Update “{entry.key}” to {_where(paper)}", edits)
    if request.is_bibliography:
        edits, _ = _updates(request, bibliography, bibliography.entries) or own
        if len(edits) > 1:
            title = f"Update all {len(edits)} preprints to their published versions"
            yield _action(request, entry.path, title, edits)


def _action(
    request: Request, path: Path, title: str, edits: Sequence[types.TextEdit]
) -> types.CodeAction:
    edit = request.edit_files({path: edits})
    return types.CodeAction(title, kind=types.CodeActionKind.QuickFix, edit=edit)


def _at(request: Request, offset: int) -> tuple[Bibliography | None, Entry | None]:
    """Return the entry that is meant at an offset, and the bibliography that it stands in."""
    if request.is_bibliography:
        bibliography = request.bibliography()
        return bibliography, entry_around(bibliography, offset)
    draft = request.draft()
    for key in cited(draft.manuscript):
        if key.start <= offset <= key.end and (entry := draft.library.get(key.text)):
            files = (one for one in draft.library.bibliographies if one.path == entry.path)
            return next(files, None), entry
    return None, None


def _updates(
    request: Request, bibliography: Bibliography, entries: Sequence[Entry]
) -> tuple[list[types.TextEdit], Paper] | None:
    """Return the edits that make entries what was published, and the last of these papers.

    None where there is nothing to be done.
    """
    lines = request.documents.lines(bibliography.path)
    if lines is None:
        return None
    habits = None
    edits = []
    for entry, paper in _publications(request, entries):
        if lines.text[entry.start : entry.end] != entry.raw:
            continue  # a copy in another file, say
        habits = habits or bibtex_habits(lines.text, bibliography.entries)
        if record := published_record(entry, paper, habits):
            place = range_of(lines, entry.start, entry.end, request.client.encoding)
            edits.append(types.TextEdit(place, record))
            last = paper
    return (edits, last) if edits else None


def _retracted(request: Request, entries: Sequence[Entry]) -> dict[str, str]:
    """Return the corpora that call entries retracted, by the keys of these."""
    silent = [entry for entry in entries if not entry.paper.retracted]
    return {
        entry.key: one.corpus
        for entry, records in zip(silent, request.recommender.known(silent), strict=True)
        for one in records
        if one.paper.retracted
    }


def _retraction(path: Path, start: int, end: int, key: str, corpus: str) -> Finding:
    message = (
        f'"{key}" was retracted, says the corpus {corpus}: cite it as retracted, or not at all'
    )
    return Finding("retracted", path, start, end, message)


def _publications(request: Request, entries: Sequence[Entry]) -> Iterator[tuple[Entry, Paper]]:
    """Yield the preprints among entries of which a corpus knows where they appeared, and that."""
    entries = [entry for entry in entries if is_preprint(entry)]
    for entry, records in zip(entries, request.recommender.known(entries), strict=True):
        papers = (one.paper for one in records if is_publication(one.paper))
        if (paper := next(papers, None)) is not None:
            yield entry, paper


def _where(paper: Paper) -> str:
    year = str(paper.year or "")
    venue = shortened(paper.venue, _LONGEST_VENUE)
    return venue if not year or year in venue else f"{venue}, {year}"
