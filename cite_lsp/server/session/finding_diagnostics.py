"""The findings about a document as the diagnostics that a client shows."""

from __future__ import annotations

import time
from collections.abc import Iterable

from lsprotocol import types

from cite_lsp.rules.findings import Finding
from cite_lsp.rules.typing_grace import REST, without_unfinished
from cite_lsp.server.session.documents import range_of
from cite_lsp.server.session.findings import findings_of
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


def diagnose(request: Request) -> tuple[DiagnosticsByUri, float | None]:
    """Return the diagnostics of a document, but for what is just being typed.

    Returns:
        The diagnostics, and in how many seconds there are those that were left out: None if there
        are no more.
    """
    findings, document = findings_of(request), request.document
    seconds_left = document.touched_at + REST - time.monotonic()
    if seconds_left <= 0:
        return _diagnostics(request, findings), None
    finished = without_unfinished(findings, request.path, document.text, document.touched)
    more_in = seconds_left if len(finished) < len(findings) else None
    return _diagnostics(request, finished), more_in


def _diagnostics(request: Request, findings: Iterable[Finding]) -> DiagnosticsByUri:
    by_uri: DiagnosticsByUri = {}
    for finding in findings:
        in_file = by_uri.setdefault(request.documents.uri(finding.path), [])
        if len(in_file) < _MOST_IN_A_FILE:
            in_file.append(diagnostic(request, finding))
    return by_uri


def diagnostic(request: Request, finding: Finding) -> types.Diagnostic:
    """Return the diagnostic of a finding, with what the client can show of it."""
    encoding, lines = request.client.encoding, request.documents.lines(finding.path)
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
