"""Examining a document: all findings of all rules that are on and not silenced there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lsprotocol import types

from cite_lsp.library.model import Bibliography, Problem
from cite_lsp.manuscript.lint.suppress import Suppressions, suppressions_of
from cite_lsp.project.workspace import library_around, scope_of
from cite_lsp.rules import bibliography_rules, corpus_rules, draft_rules
from cite_lsp.rules.findings import RULES, Finding
from cite_lsp.server.config.options import DiagnosticsOptions, Options
from cite_lsp.server.session.documents import range_of
from cite_lsp.server.session.request import Request
from cite_lsp.server.watch.missing_hints import hint_findings

SOURCE = "cite-lsp"
_MOST_IN_A_FILE = 100
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}

Found = dict[str, list[types.Diagnostic]]
"""Diagnostics by the URI of the file they stand in."""


def diagnose(request: Request) -> Found:
    """Return what is to be said about a document, by the file where it is shown."""
    found: Found = {request.document.uri: []}
    for finding in findings_of(request):
        here = found.setdefault(request.documents.uri(finding.path), [])
        if len(here) < _MOST_IN_A_FILE and (shown := diagnostic(request, finding)) is not None:
            here.append(shown)
    return {uri: here for uri, here in found.items() if here}


def findings_of(request: Request) -> tuple[Finding, ...]:
    """Return what `examine` finds, once for each state of the document."""
    return request.findings.of(request, lambda: tuple(examine(request)))


def examine(request: Request) -> Iterator[Finding]:
    """Yield the findings about a document and what it depends on."""
    active = _active(request.options)
    silences: dict[Path, Suppressions] = {}
    everything = _of_bibliography if request.is_bibliography else _of_draft
    for finding in everything(request, active):
        if finding.rule not in active:
            continue
        lines = request.documents.lines(finding.path)
        if lines is not None:
            if finding.path not in silences:
                silences[finding.path] = suppressions_of(lines)
            if silences[finding.path].covers(finding.rule, lines.line_of(finding.start)):
                continue
        yield finding


def diagnostic(request: Request, finding: Finding) -> types.Diagnostic | None:
    """Return a finding as the client is told of it."""
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


def _active(options: Options) -> frozenset[str]:
    """Return the rules that are on; hints at missing citations have settings of their own."""
    hints = options.missing.hints != "off"
    return frozenset(
        rule
        for rule in RULES
        if (hints if rule == "missing-citation" else _switched_on(options.diagnostics, rule))
    )


def _switched_on(options: DiagnosticsOptions, rule: str) -> bool:
    return bool(getattr(options, rule.replace("-", "_")))


def _of_draft(request: Request, active: frozenset[str]) -> Iterator[Finding]:
    draft = request.draft()
    files = {file for file, _ in draft.project.files}
    by_path: dict[Path, list[Problem]] = {}

    def opened(path: Path) -> bool:
        return request.documents.find(path) is not None

    for problem in draft.problems:
        if bibliography_rules.rule_of(problem, opened(problem.path)) in active:
            by_path.setdefault(problem.path, []).append(problem)
    bibliographies = {one.path: one for one in draft.library.bibliographies}
    for path, problems in by_path.items():
        lines = request.documents.lines(path)
        if path in files or opened(path) or os.path.isfile(path):
            bibliography = bibliographies.get(path) or Bibliography(path, ())
            yield from bibliography_rules.broken_records(bibliography, problems, lines)
        silence = suppressions_of(lines) if lines is not None else Suppressions()
        loud = [
            problem
            for problem in problems
            if not silence.covers(
                bibliography_rules.rule_of(problem, opened(path)), problem.line - 1
            )
        ]
        if path not in files and loud:
            yield from draft_rules.at_declarations(request, draft, path, loud)
    if "duplicate-key" in active:
        yield from bibliography_rules.duplicates(
            draft.bibliographies, lambda: draft.project.folds_case
        )
    hints = (
        list(hint_findings(draft, request.hinted, request.cancelled))
        if "missing-citation" in active
        else []
    )
    if "empty-citation" in active:
        at_markers = {one.start: one for one in hints if one.rule == "empty-citation"}
        yield from draft_rules.empty_citations(request, draft, at_markers)
    if "unknown-key" in active:
        yield from draft_rules.unknown_keys(request, draft)
    if "retracted" in active:
        yield from corpus_rules.retracted_citations(request, draft)
    yield from (one for one in hints if one.rule == "missing-citation")


def _of_bibliography(request: Request, active: frozenset[str]) -> Iterator[Finding]:
    bibliography = request.bibliography()
    yield from bibliography_rules.broken_records(
        bibliography, bibliography.problems, request.document.lines
    )
    folds_case = cache(lambda: scope_of(request).folds_case)
    if "duplicate-key" in active:
        yield from bibliography_rules.duplicates([bibliography], folds_case)
    if "unknown-key" in active:
        yield from bibliography_rules.unknown_relations(
            bibliography, lambda keys: library_around(request, keys), folds_case
        )
    if "unused-entry" in active:
        yield from bibliography_rules.unused(bibliography, scope_of(request))
    if "retracted" in active:
        yield from corpus_rules.retracted_entries(request, bibliography)
    if "preprint" in active:
        yield from corpus_rules.preprints(request, bibliography)
