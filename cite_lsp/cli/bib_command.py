"""Do what `cite-lsp bib` is asked for: excerpts, duplicates, layout, verification, new entries."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.arguments.corpus_names import NO_CORPUS
from cite_lsp.cli.arguments.project_settings import expect_bibliography, expect_draft
from cite_lsp.cli.bib.bibliography_files import joined, read_exactly, write_result
from cite_lsp.cli.bib.cited_only import cited_only
from cite_lsp.cli.bib.from_corpus import entry_from_corpus
from cite_lsp.cli.checking.checker import Checker, Choices
from cite_lsp.cli.checking.report import ReportedFinding
from cite_lsp.cli.printing.output import Stages, print_json, say, warn
from cite_lsp.library.text.invisible_characters import printable
from cite_lsp.library.write.bibtex_layout import in_order_of_keys, laid_out
from cite_lsp.paths import corpora_folder
from cite_lsp.project.folders import absolute
from cite_lsp.project.workspace import is_bibliography
from cite_lsp.search.corpus.corpus_index import list_corpora


def run(options: argparse.Namespace) -> int:
    """Do what is asked for; 1 where something is found or missing, else 0."""
    if options.sort and not options.format:
        raise UsageError("--sort belongs to --format; add that or leave it out")
    if options.json and not (options.duplicates or options.verify):
        raise UsageError("--json is for --duplicates and --verify; leave it out")
    if options.work is not None:
        return _from_corpus(options)
    if not options.files:
        raise UsageError("no FILE is given; name a draft or a .bib file")
    if options.format:
        return _format(options)
    if options.duplicates:
        return 1 if _report(options, "duplicate-work") else 0
    if options.verify:
        return _verify(options)
    content, complete = cited_only(options.files, options.bibliography, options.output)
    write_result(content, options.output)
    return 0 if complete else 1


def _report(options: argparse.Namespace, rule: str) -> list[ReportedFinding]:
    if options.output is not None:
        raise UsageError("--output is for --cited-only and --format; leave it out")
    findings = _findings_of(options.files, rule, options.bibliography)
    if options.json:
        print_json({"findings": [finding.record() for finding in findings]})
    else:
        # What no corpus knows is often most of a file, and would hide what is contradicted.
        for finding in sorted(findings, key=lambda finding: finding.severity == "hint"):
            for line in finding.text_lines():
                say(line)
    return findings


def _findings_of(
    files: Sequence[Path], rule: str, bibliographies: Sequence[Path]
) -> list[ReportedFinding]:
    """Return what a rule finds in .bib files, and in those that drafts name."""
    for path in files:
        expect_draft(path, bibliographies=True)
    for path in bibliographies:
        expect_bibliography(path)
    with closing(Stages()) as stages:
        checker = Checker(Choices(only=(rule,), bibliographies=tuple(bibliographies)), stages)
        findings = [finding for path in files for finding in checker.check(absolute(path))]
    return list(dict.fromkeys(findings))


def _verify(options: argparse.Namespace) -> int:
    if not list_corpora(corpora_folder()):
        raise CommandError(NO_CORPUS)
    findings = _report(options, "unverified-entry")
    contradicted = sum(finding.severity != "hint" for finding in findings)
    warn(f"{contradicted} contradicted, {len(findings) - contradicted} not found")
    return 1 if contradicted else 0


def _format(options: argparse.Namespace) -> int:
    if options.bibliography:
        raise UsageError("--bibliography is for drafts; leave it out")
    if len(options.files) > 1:
        raise UsageError("--format takes one file at a time")
    (path,) = options.files
    if path.is_file() and not is_bibliography(path):
        raise CommandError(f"{path}: is no .bib file; only such a file is formatted")
    text = read_exactly(path)
    exact = in_order_of_keys(text.exact, path) if options.sort else text.exact
    write_result(joined([(text, laid_out(exact, path))]), options.output)
    return 0


def _from_corpus(options: argparse.Namespace) -> int:
    if len(options.files) > 1 or options.bibliography or options.output is not None:
        raise UsageError("--from takes no more than the .bib file that the entry is for")
    print(printable(entry_from_corpus(options.work, next(iter(options.files), None))), end="")
    return 0
