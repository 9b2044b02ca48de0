"""The findings about a document, and the diagnostics of them that a client shows.

A key that is just being typed is not called unknown until the writer has finished, nor is a
citation called empty into which its key is about to be typed. Editors report edits, not the cursor,
so where the last edit was is taken for where the cursor is, until an edit elsewhere, a save, or a
moment of rest.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from weakref import ref

from lsprotocol import types

from cite_lsp.rules.examine import Examination, examine_bibliography, examine_draft
from cite_lsp.rules.findings import Finding
from cite_lsp.rules.lookups import Lookups
from cite_lsp.server.config.active_rules import active_rules, hinted_once_in
from cite_lsp.server.config.settings_files import naming_settings
from cite_lsp.server.session.buffers import range_of
from cite_lsp.server.session.recent_results import StoredResult, stamps_of
from cite_lsp.server.session.request import Request

SOURCE = "cite-lsp"
_MOST_IN_A_FILE = 100
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}

DiagnosticsByUri = dict[str, list[types.Diagnostic]]
"""Diagnostics by the URI of the file that they are shown in."""
MOMENT = 0.25
"""Seconds for which findings of a bibliography count: they depend on all drafts of a workspace."""
REST = 4.0
"""Seconds after the last edit from which on a key counts as finished."""
_RULES = ("empty-citation", "unknown-key")


def findings_of(request: Request) -> tuple[Finding, ...]:
    """Return what `examine` finds, once for each state of the document."""
    return request.findings.of(request.path, lambda: _state_of(request), lambda: _examined(request))


def _state_of(request: Request) -> tuple[object, ...]:
    """Return what findings depend on: open documents, settings, what was ranked, what was read.

    Of the draft's project and library and of the corpora they are weak references: a change makes
    others.
    """
    recommender = request.recommender
    if request.is_bibliography:
        read: tuple[object, ...] = (request.bibliography(),)
    else:
        draft = request.draft()
        read = draft.project, draft.library
    dependencies = (recommender, *read, *recommender.corpora.indexes().values())
    return (id(request.snapshot), request.options, request.ranked, *map(ref, dependencies))


def _examined(request: Request) -> StoredResult[tuple[Finding, ...]]:
    findings = tuple(examine(request))
    draft_paths = set(request.snapshot)
    until = time.monotonic() + MOMENT
    if not request.is_bibliography:
        draft = request.draft()
        draft_paths.update(path for path, _ in draft.project.files)
        draft_paths.update(bibliography.path for bibliography in draft.library.bibliographies)
        until = math.inf
    others = (finding.path for finding in findings if finding.path not in draft_paths)
    return StoredResult(findings, stamps_of(others), until, request.snapshot)


def examine(request: Request) -> Iterator[Finding]:
    """Yield the findings about the document and what it depends on."""
    options = request.options
    once_in = hinted_once_in(options.missing)
    examination = Examination(active_rules(options), _lookups(request), request.ranked, once_in)
    if request.is_bibliography:
        return examine_bibliography(request.surroundings, examination)
    return examine_draft(request.draft(), examination)


def _lookups(request: Request) -> Lookups:
    named, workspaces = request.options.bibliography, request.setup.workspaces
    return Lookups(
        lines=request.buffers.lines,
        is_open=lambda path: request.buffers.find(path) is not None,
        known_works=request.recommender.known_works,
        paths=request.paths,
        naming_settings=lambda path: naming_settings(path, request.path, workspaces, named),
        cancelled=request.cancelled,
    )


def diagnose(request: Request) -> tuple[DiagnosticsByUri, float | None]:
    """Return the diagnostics of a document, but for what is just being typed.

    Returns:
        The diagnostics, and in how many seconds there are those that were left out: None if there
        are no more.
    """
    findings, buffer = findings_of(request), request.buffer
    seconds_left = buffer.touched_at + REST - time.monotonic()
    if seconds_left <= 0:
        return _diagnostics(request, findings), None
    finished = without_unfinished(findings, request.path, buffer.text, buffer.touched)
    more_in = seconds_left if len(finished) < len(findings) else None
    return _diagnostics(request, finished), more_in


def _diagnostics(request: Request, findings: Iterable[Finding]) -> DiagnosticsByUri:
    by_uri: DiagnosticsByUri = {}
    for finding in findings:
        in_file = by_uri.setdefault(request.buffers.uri(finding.path), [])
        if len(in_file) < _MOST_IN_A_FILE:
            in_file.append(diagnostic(request, finding))
    return by_uri


def diagnostic(request: Request, finding: Finding) -> types.Diagnostic:
    """Return the diagnostic of a finding, with what the client can show of it."""
    encoding, lines = request.client.encoding, request.buffers.lines(finding.path)
    place = types.Range(types.Position(0, 0), types.Position(0, 0))
    if lines is not None:
        place = range_of(lines, finding.start, finding.end, encoding)
    shown = types.Diagnostic(
        place,
        finding.message,
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        source=SOURCE,
    )
    if finding.rule == "unused-entry" and request.client.diagnostic_tags:
        shown.tags = [types.DiagnosticTag.Unnecessary]
    if finding.related and request.client.diagnostic_links:
        path, start, end, word = finding.related
        if (location := request.location(path, start, end)) is not None:
            shown.related_information = [types.DiagnosticRelatedInformation(location, word)]
    return shown


def without_unfinished(
    findings: Iterable[Finding], path: Path, text: str, edited: int
) -> tuple[Finding, ...]:
    """Return findings without those at a citation that is just being typed.

    `edited` is the offset behind the last edit of the text of a file.
    """
    cursor = _end_of_word(text, edited)
    return tuple(
        finding
        for finding in findings
        if finding.rule not in _RULES
        or finding.path != path
        or not finding.start <= cursor <= finding.end
    )


def _end_of_word(text: str, offset: int) -> int:
    """Return an offset, or that before blanks: those between the words of a title go with them."""
    while offset > 0 and text[offset - 1] in " \t":
        offset -= 1
    return offset
