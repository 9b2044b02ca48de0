"""`bib --duplicates` and `--verify`: what one rule finds in bibliographies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cite_lsp.cli.checking.checker import Checker, Choices
from cite_lsp.cli.checking.report import ReportedFinding
from cite_lsp.cli.output import Stages
from cite_lsp.cli.project_settings import expect_bibliography, not_a_draft
from cite_lsp.manuscript.parse import format_of
from cite_lsp.project.folders import absolute
from cite_lsp.project.workspace import is_bibliography


def findings_of(
    files: Sequence[Path], rule: str, bibliographies: Sequence[Path]
) -> list[ReportedFinding]:
    """Return what a rule finds in .bib files, and in those that drafts name.

    Raises:
        CommandError: one of the files is neither, or cannot be read.
    """
    for path in files:
        if not path.is_file() or not (format_of(path) or is_bibliography(path)):
            raise not_a_draft(path, bibliographies=True)
    for path in bibliographies:
        expect_bibliography(path)
    stages = Stages()
    checker = Checker(Choices(only=(rule,), bibliographies=tuple(bibliographies)), stages)
    try:
        findings = [finding for path in files for finding in checker.check(absolute(path))]
    finally:
        stages.close()
    return list(dict.fromkeys(findings))
