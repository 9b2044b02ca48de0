"""All findings about a draft or a bibliography: of the rules that are on, but for silenced ones."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path

from attrs import field, frozen

from cite_lsp.library.entries import Bibliography, Problem
from cite_lsp.manuscript.lint.suppress import Suppressions, suppressions_of
from cite_lsp.project.draft import Draft
from cite_lsp.project.workspace import Surroundings, library_around, scope_of
from cite_lsp.rules import bibliography_rules, corpus_rules, draft_rules, unverified_entry
from cite_lsp.rules.bibliography_names import names_not_found
from cite_lsp.rules.doubtful_citations import doubtful_citations
from cite_lsp.rules.findings import Finding, Ranked, Stretch
from cite_lsp.rules.lookups import Lookups
from cite_lsp.rules.missing_citations import hint_findings


@frozen
class Examination:
    """Which rules are applied, and with what.

    Attributes:
        rules: The names of the rules.
        lookups: Where they look up what a draft or bibliography does not say itself.
        ranked: What ranking papers has shown of the draft.
        hinted_once_in: The part of a draft in which hints name a paper once.
        at_names: Whether what is wrong in a bibliography is said again where a draft names it.
    """

    rules: Collection[str]
    lookups: Lookups
    ranked: Ranked = field(factory=Ranked)
    hinted_once_in: Stretch = "paragraph"
    at_names: bool = True


def examine_draft(
    draft: Draft, examination: Examination, top: Path | None = None
) -> Iterator[Finding]:
    """Yield the findings about the opened file of a draft and what it depends on.

    A missing bibliography that no file of the draft names is reported in `top`, by default the
    opened file.
    """
    return _reported(_of_draft(draft, examination, top or draft.path), examination)


def examine_bibliography(surroundings: Surroundings, examination: Examination) -> Iterator[Finding]:
    """Yield the findings about a .bib file, of which the surroundings are given."""
    return _reported(_of_bibliography(surroundings, examination), examination)


def _reported(findings: Iterable[Finding], examination: Examination) -> Iterator[Finding]:
    """Yield the findings of the rules that are applied, but for those that a comment silences."""
    suppressions: dict[Path, Suppressions] = {}
    for finding in findings:
        if finding.rule not in examination.rules:
            continue
        lines = examination.lookups.lines(finding.path)
        if lines is not None:
            if finding.path not in suppressions:
                suppressions[finding.path] = suppressions_of(lines)
            if suppressions[finding.path].covers(finding.rule, lines.line_of(finding.start)):
                continue
        yield finding


def _of_draft(draft: Draft, examination: Examination, top: Path) -> Iterator[Finding]:
    rules, lookups = examination.rules, examination.lookups
    yield from _of_its_files(draft, examination, top)
    if "missing-bibliography" in rules:
        yield from names_not_found(draft)
    if "duplicate-key" in rules:
        yield from bibliography_rules.duplicates(
            draft.bibliographies, lambda: draft.project.folds_case
        )
    hints: list[Finding] = []
    if "missing-citation" in rules:
        once_in = examination.hinted_once_in
        hints += hint_findings(draft, examination.ranked.hints, lookups.cancelled, once_in=once_in)
    if "empty-citation" in rules:
        at_markers = {hint.start: hint for hint in hints if hint.rule == "empty-citation"}
        yield from draft_rules.empty_citations(draft, at_markers, lookups.cancelled)
    if "unknown-key" in rules:
        yield from draft_rules.unknown_keys(draft, lookups.cancelled)
    if "retracted" in rules:
        yield from corpus_rules.retracted_citations(draft, lookups.known_works)
    yield from (hint for hint in hints if hint.rule == "missing-citation")
    if "doubtful-citation" in rules:
        yield from doubtful_citations(draft, examination.ranked.doubts, lookups.cancelled)


def _of_its_files(draft: Draft, examination: Examination, top: Path) -> Iterator[Finding]:
    """Yield what is wrong with the files of a draft, and again where those are named."""
    lookups = examination.lookups
    files = {file for file, _ in draft.project.files}
    by_path: dict[Path, list[Problem]] = {}
    for problem in draft.problems:
        rule = bibliography_rules.rule_of(problem, lookups.is_open(problem.path))
        if rule in examination.rules:
            by_path.setdefault(problem.path, []).append(problem)
    bibliographies = {
        bibliography.path: bibliography for bibliography in draft.library.bibliographies
    }
    for path, problems in by_path.items():
        lines, is_open = lookups.lines(path), lookups.is_open(path)
        readable = path in files or is_open or os.path.isfile(path)
        if readable:
            bibliography = bibliographies.get(path) or Bibliography(path, ())
            yield from bibliography_rules.broken_records(bibliography, problems, lines)
        suppressions = suppressions_of(lines) if lines is not None else Suppressions()
        loud = [
            problem
            for problem in problems
            if not suppressions.covers(
                bibliography_rules.rule_of(problem, is_open), problem.line - 1
            )
        ]
        if path not in files and loud and (examination.at_names or not readable):
            yield from draft_rules.at_declarations(draft, path, loud, lookups, top)


def _of_bibliography(surroundings: Surroundings, examination: Examination) -> Iterator[Finding]:
    rules, lookups = examination.rules, examination.lookups
    bibliography = surroundings.bibliography()
    yield from bibliography_rules.broken_records(
        bibliography, bibliography.problems, lookups.lines(surroundings.path)
    )
    folds_case = cache(lambda: scope_of(surroundings).folds_case)
    if "duplicate-key" in rules:
        yield from bibliography_rules.duplicates([bibliography], folds_case)
    if "duplicate-work" in rules:
        yield from bibliography_rules.duplicate_works(bibliography)
    if "unknown-key" in rules:
        yield from bibliography_rules.unknown_relations(
            bibliography, lambda keys: library_around(surroundings, keys), folds_case
        )
    if "unused-entry" in rules:
        yield from bibliography_rules.unused(bibliography, scope_of(surroundings))
    if "retracted" in rules:
        yield from corpus_rules.retracted_entries(bibliography, lookups.known_works)
    if "preprint" in rules:
        yield from corpus_rules.preprints(bibliography, lookups.known_works)
    if "unverified-entry" in rules:
        yield from unverified_entry.unverified_entries(bibliography, lookups)
