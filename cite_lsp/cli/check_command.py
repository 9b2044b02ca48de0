"""Check drafts and bibliographies as the server would, and print the findings."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

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
    findings: list[ReportedFinding] = []
    unchecked: list[Unchecked] = []
    for result in check(options.files, choices):
        if isinstance(result, Unchecked):
            unchecked.append(result)
            warn(str(result))
            continue
        findings.append(result)
        for line in result.text_lines() if options.format == "text" else ():
            say(line)
    if options.format == "json":
        print_json(document(findings, unchecked))
    elif options.format == "sarif":
        print_json(sarif(findings, unchecked))
    return 1 if findings or unchecked else 0


def document(findings: Iterable[ReportedFinding], unchecked: Iterable[Unchecked]) -> dict[str, Any]:
    """Return what was found, and what could not be checked, as JSON has it."""
    records = [part.record() for part in unchecked]
    return {"findings": [finding.record() for finding in findings]} | (
        {"unchecked": records} if records else {}
    )


def check(names: Sequence[Path], choices: Choices) -> Iterator[ReportedFinding | Unchecked]:
    """Yield what is found in files and folders, each finding once, and then what was not checked.

    Progress goes to stderr.

    Raises:
        CommandError: a model cannot be used, or a bibliography of the options cannot be read.
    """
    for path in choices.bibliographies:
        expect_bibliography(path)
    unchecked: list[Unchecked] = []
    files, from_folders = _files([str(path) for path in names], unchecked)
    reported: set[ReportedFinding] = set()
    with reporting() as (stages, _):
        checker = Checker(choices, stages, files, from_folders)
        for path in files:
            try:
                for finding in checker.check(path):
                    if finding not in reported:
                        reported.add(finding)
                        stages.clear()
                        yield finding
            except UnreadableFileError as error:
                unchecked.append(_unchecked(path, error))
    yield from dict.fromkeys((*unchecked, *checker.unchecked))


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
