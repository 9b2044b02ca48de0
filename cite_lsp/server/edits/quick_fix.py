"""Code actions that settle diagnostics: another key, a missing brace, a suppressing comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.entries import Bibliography, Entry
from cite_lsp.library.write.bibtex_style import bibtex_habits
from cite_lsp.library.write.preprints import published_record
from cite_lsp.manuscript import format_of
from cite_lsp.manuscript.lint.suppress import comment_for
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.paper import Paper
from cite_lsp.project.citations import keys_in
from cite_lsp.rules.bibliography_rules import entries_of
from cite_lsp.rules.corpus_rules import publications, venue_and_year
from cite_lsp.rules.findings import Finding, Fix
from cite_lsp.rules.moved_bibliography import path_replacements
from cite_lsp.server.edits.merge_entries import behind_record, merge
from cite_lsp.server.edits.occurrences import entry_around
from cite_lsp.server.session.finding_diagnostics import diagnostic, findings_of
from cite_lsp.server.session.request import Request

_DASH = lazy_re(r"^[ \t]*-\s+\Z", re.MULTILINE)
"""What stands before an item of a list in YAML."""


Actions = list[types.CodeAction]


def fixes(request: Request, start: int, end: int) -> tuple[Actions, Actions]:
    """Return the actions for the findings that a range of the document touches.

    The first mend them, the others silence their rules.
    """
    touched = [
        finding
        for finding in findings_of(request)
        if finding.path == request.path and finding.start <= end and start <= finding.end
    ]
    rules = dict.fromkeys(finding.rule for finding in touched)
    return list(_repairs_of(request, touched)), [_suppression(request, rule) for rule in rules]


def _repairs_of(request: Request, findings: Iterable[Finding]) -> Iterator[types.CodeAction]:
    for finding in findings:
        for fix in (*_path_replacements(request, finding), *finding.fixes):
            edit = _edit(request, fix)
            if edit is not None:
                yield types.CodeAction(
                    fix.title,
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[diagnostic(request, finding)],
                    is_preferred=True if fix.preferred else None,
                    edit=edit,
                )
        yield from _merges(request, finding)


def _merges(request: Request, finding: Finding) -> Iterator[types.CodeAction]:
    entries = (
        entries_of(finding, request.bibliography()) if finding.rule == "duplicate-work" else None
    )
    if entries is None or (merged := merge(request, *entries)) is None:
        return
    (entry, earlier), (key, edit) = entries, merged
    gone = earlier.key if key == entry.key else entry.key
    yield types.CodeAction(
        f"Merge “{gone}” into “{key}”, here and in the drafts",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(request, finding)],
        is_preferred=True,
        edit=edit,
    )


def _path_replacements(request: Request, finding: Finding) -> Iterator[Fix]:
    if any(fix.create is not None for fix in finding.fixes):
        workspaces = request.setup.workspaces
        yield from path_replacements(request.draft(), finding, workspaces, request.cancelled)


def _edit(request: Request, fix: Fix) -> types.WorkspaceEdit | None:
    if fix.create is not None:
        if not request.client.file_creation:
            return None
        uri = request.buffers.uri(fix.create)
        options = types.CreateFileOptions(ignore_if_exists=True)
        return types.WorkspaceEdit(document_changes=[types.CreateFile(uri, options=options)])
    if fix.edit.text:
        return request.edit([request.text_edit(fix.edit)])
    text, start = request.buffer.text, fix.edit.start
    if format_of(request.path) == "markdown":  # an item of `references:`
        dash = _DASH.search(text, 0, start)
        if dash is None:  # in a list that is written in one line, its comma would stay
            return None
        start = dash.start()
    end = behind_record(text, start, fix.edit.end)
    return request.edit([request.text_edit(TextEdit(start, end, ""))])


def _suppression(request: Request, rule: str) -> types.CodeAction:
    """Return the action that writes the magic comment for a rule at the end of the document."""
    text = request.buffer.text
    comment = comment_for(format_of(request.path), rule)
    line_break = "\r\n" if "\r\n" in text else "\n"
    break_before = "" if not text or text.endswith("\n") else line_break
    added = TextEdit.insertion(len(text), f"{break_before}{comment}{line_break}")
    return types.CodeAction(
        f"Turn off “{rule}” in this file",
        kind=types.CodeActionKind.QuickFix,
        edit=request.edit([request.text_edit(added)]),
    )


_Updates = list[tuple[types.TextEdit, Paper]]
"""Edits that update entries, each with the paper that it is about."""


def preprint_updates(request: Request, offset: int) -> Iterator[types.CodeAction]:
    """Yield the actions that make preprints what was published, where a corpus knows that.

    The first is for the entry at an offset, or that of the key which a draft cites there. In a .bib
    file with several such entries another one is for all of them.
    """
    bibliography, entry = _at(request, offset)
    if bibliography is None or entry is None:
        return
    updates = _updates(request, bibliography, [entry])
    if not updates:
        return
    ((_, paper),) = updates
    title = f"Update “{entry.key}” to {venue_and_year(paper)}"
    yield _action(request, entry.path, title, updates)
    if request.is_bibliography:
        updates = _updates(request, bibliography, bibliography.entries)
        if len(updates) > 1:
            title = f"Update all {len(updates)} preprints to their published versions"
            yield _action(request, entry.path, title, updates)


def _action(request: Request, path: Path, title: str, updates: _Updates) -> types.CodeAction:
    edit = request.edit_files({path: [edit for edit, _ in updates]})
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


def _updates(request: Request, bibliography: Bibliography, entries: Sequence[Entry]) -> _Updates:
    lines = request.buffers.lines(bibliography.path)
    if lines is None:
        return []
    habits = None
    updates: _Updates = []
    for entry, paper in publications(entries, request.recommender.known_works):
        if lines.text[entry.start : entry.end] != entry.raw:
            continue  # a copy in another file, say
        habits = habits or bibtex_habits(lines.text, bibliography.entries)
        if record := published_record(entry, paper, habits):
            edit = TextEdit(entry.start, entry.end, record)
            updates.append((request.text_edit(edit, lines), paper))
    return updates
