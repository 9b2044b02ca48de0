"""The report of `check` as SARIF 2.1.0, which code hosts show beside the lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cite_lsp import __version__
from cite_lsp.cli.checking.report import ReportedFinding, Unchecked
from cite_lsp.rules.rule_names import RULES

_LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Sequence[ReportedFinding], unchecked: Sequence[Unchecked]) -> dict[str, Any]:
    """Return the document, with what each rule finds.

    What could not be checked are notifications of the run, which then was not successful.
    """
    reported = {finding.rule for finding in findings}
    described = [
        {"id": name, "shortDescription": {"text": text}}
        for name, text in RULES.items()
        if name in reported
    ]
    driver = {"name": "cite-lsp", "semanticVersion": __version__, "rules": described}
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in findings],
    }
    if unchecked:
        notes = [_notification(part) for part in unchecked]
        run["invocations"] = [{"executionSuccessful": False, "toolExecutionNotifications": notes}]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: ReportedFinding) -> dict[str, Any]:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    place = {"artifactLocation": {"uri": _uri(finding.file)}, "region": region}
    return {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place}],
    }


def _notification(unchecked: Unchecked) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(unchecked.file)}}
    if unchecked.line:
        place["region"] = {"startLine": unchecked.line}
    return {
        "level": "error",
        "message": {"text": unchecked.message},
        "locations": [{"physicalLocation": place}],
    }


def _uri(file: str) -> str:
    """Return a URI: relative to the current folder, as code hosts want it, where that can be."""
    path = Path(file)
    try:
        return quote(path.relative_to(Path.cwd()).as_posix())
    except ValueError:
        return path.as_uri()
