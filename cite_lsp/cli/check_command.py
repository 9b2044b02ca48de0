"""Check drafts and bibliographies as the server would, and print the findings."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.arguments.project_settings import (
    expect_bibliography,
    expect_draft,
    is_binary_file,
)
from cite_lsp.cli.checking.checker import Checker, Choices, UnreadableFileError
from cite_lsp.cli.checking.draft_folders import drafts_in
from cite_lsp.cli.checking.report import ReportedFinding, Unchecked
from cite_lsp.cli.checking.sarif import sarif
from cite_lsp.cli.indexing.source_files import expand
from cite_lsp.cli.printing.output import print_json, reporting, say, warn
from cite_lsp.paths import expanded
from cite_lsp.project.folders import absolute


@frozen
class CheckResult:
    """What was found in files, each once, and what of them could not be checked."""

    findings: Sequence[ReportedFinding]
    unchecked: Sequence[Unchecked]

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        records = [part.record() for part in self.unchecked]
        unchecked = {"unchecked": records} if records else {}
        return {"findings": [finding.record() for finding in self.findings]} | unchecked


def run(options: argparse.Namespace) -> int:
    """Print the findings; 1 where there are any or a part could not be checked, else 0.

    As text they are printed draft by draft: many drafts take minutes.
    """
    choices = Choices(
        tuple(options.only or ()),
        tuple(options.bibliography),
        options.level,
        options.threshold,
        options.confidence,
    )
    checked = check(options.files, choices, _say if options.format == "text" else _keep)
    for part in checked.unchecked:
        warn(str(part))
    if options.format == "json":
        print_json(checked.document())
    elif options.format == "sarif":
        print_json(sarif(checked.findings, checked.unchecked))
    return 1 if checked.findings or checked.unchecked else 0


def _say(finding: ReportedFinding) -> None:
    for line in finding.text_lines():
        say(line)


def _keep(finding: ReportedFinding) -> None:
    """Print nothing yet: a document is printed whole."""


def check(
    names: Sequence[Path], choices: Choices, report: Callable[[ReportedFinding], None] = _keep
) -> CheckResult:
    """Return what is found in files and folders; progress goes to stderr.

    `report` is told each finding when it is found, once.

    Raises:
        CommandError: a model cannot be used, or a bibliography of the options cannot be read.
    """
    for path in choices.bibliographies:
        expect_bibliography(path)
    unchecked: list[Unchecked] = []
    files, from_folders = _files([str(path) for path in names], unchecked)
    findings: dict[ReportedFinding, None] = {}
    with reporting() as (stages, _):
        checker = Checker(choices, stages, files, from_folders)
        for path in files:
            try:
                for finding in checker.check(path):
                    if finding not in findings:
                        findings[finding] = None
                        stages.clear()
                        report(finding)
            except UnreadableFileError as error:
                unchecked.append(_unchecked(path, error))
    unchecked += checker.unchecked
    return CheckResult(list(findings), list(dict.fromkeys(unchecked)))


def _files(
    names: Sequence[str], unchecked: list[Unchecked]
) -> tuple[Sequence[Path], frozenset[Path]]:
    """Return the files that are named, with the drafts of folders, and which were only found there.

    See `_readable`.

    What is neither a draft nor a bibliography that can be read is added to `unchecked`, too: it
    must not cost the findings in the others.

    Raises:
        UsageError: a name is empty.
    """
    files: list[Path] = []
    named: set[Path] = set()
    for name in names:
        try:
            paths = expand([name])
        except UsageError:
            raise
        except CommandError as error:
            unchecked.append(_unchecked(expanded(name), error))
            continue
        for path in paths:
            try:
                if path.is_dir():
                    files += _readable(drafts_in(path), unchecked)
                else:
                    expect_draft(path, bibliographies=True)
                    files.append(absolute(path))
                    named.add(files[-1])
            except CommandError as error:
                unchecked.append(_unchecked(path, error))
    return files, frozenset(files) - named


def _unchecked(path: Path, error: CommandError) -> Unchecked:
    return Unchecked(str(absolute(path)), str(error).removeprefix(f"{path}: "))


def _readable(files: Sequence[Path], unchecked: list[Unchecked]) -> Iterator[Path]:
    """Yield the drafts of a folder that can be read; the others are added to `unchecked`."""
    for path in files:
        if not os.access(path, os.R_OK):
            unchecked.append(Unchecked(str(path), "cannot be read; check the permissions"))
        elif is_binary_file(path):
            unchecked.append(Unchecked(str(path), "is no text; rename it, or save it as UTF-8"))
        else:
            yield path
