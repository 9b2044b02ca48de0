"""Check drafts: citations that are missing or empty, unknown keys, broken bibliographies.

A draft is checked with all files that it includes, a .bib file for itself, a folder with all drafts
in it. What is found is what the server would show. The exit status is 1 where there is something or
where a part could not be checked, so that a build can stop on it, and 0 where there is nothing.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from cite_lsp.cli import CommandError
from cite_lsp.cli.checking.checker import Checker, Choices
from cite_lsp.cli.checking.report import ReportedFinding, Unchecked
from cite_lsp.cli.checking.sarif import sarif
from cite_lsp.cli.draft_folders import drafts_in
from cite_lsp.cli.indexing.sources import expand
from cite_lsp.cli.output import Stages, print_json, warn
from cite_lsp.cli.project_settings import expect_bibliography, is_binary_file, not_a_draft
from cite_lsp.library.text.visible import printable
from cite_lsp.manuscript import format_of
from cite_lsp.option_types import add_paths, share
from cite_lsp.paths import expanded
from cite_lsp.project.folders import absolute
from cite_lsp.project.workspace import is_bibliography
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.missing.worthiness import WorthinessError

LEVELS = ("careful", "balanced", "eager")
FORMATS = ("text", "json", "sarif")
_RULES = {
    "missing-citation": "A sentence leans on work that it does not cite",
    "empty-citation": "A citation without a key, or with a word such as TODO in its place",
    "unknown-key": "A key that no entry of the bibliography has",
    "duplicate-key": "A key that several entries have",
    "duplicate-work": "A work that a bibliography has under several keys",
    "broken-record": "An entry that cannot be read",
    "missing-bibliography": "A bibliography that is not there",
    "unused-entry": "An entry that nothing cites",
    "retracted": "A paper that was retracted, as a corpus knows",
    "preprint": "A preprint that was published, as a corpus knows",
    "unverified-entry": "An entry that a corpus contradicts, or that none knows",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "files",
        nargs="+",
        type=expanded,
        metavar="FILE",
        help="drafts, each with the files that it includes, .bib files, or folders of drafts",
    )
    written = parser.add_mutually_exclusive_group()
    written.add_argument("--format", choices=FORMATS, default="text", help="of the output (text)")
    written.add_argument(
        "--json", dest="format", action="store_const", const="json", help="as --format json"
    )
    parser.add_argument(
        "--level",
        choices=LEVELS,
        help="how readily a citation is said to be missing: few and mostly right, or many",
    )
    parser.add_argument(
        "--threshold",
        type=share,
        metavar="SHARE",
        help="likelihood, 0 to 1, that a sentence needs a citation from which on papers are looked"
        " for (the level's own)",
    )
    parser.add_argument(
        "--confidence",
        type=share,
        metavar="SHARE",
        help="likelihood, 0 to 1, of the first paper being right from which on it is told (the"
        " level's own)",
    )
    parser.add_argument(
        "--only",
        choices=sorted(_RULES),
        action="append",
        metavar="RULE",
        help=f"only this rule; may be given several times: {', '.join(_RULES)}",
    )
    add_paths(
        parser, "--bibliography", "-b", help="a bibliography beside those that the drafts name"
    )
    parser.add_argument(
        "--encoder", metavar="NAME", help="name or folder of the encoder (that of the settings)"
    )


def run(options: argparse.Namespace) -> int:
    """Print the findings; 1 where there are any or a part could not be checked, else 0."""
    for path in options.bibliography:
        expect_bibliography(path)
    unchecked: list[Unchecked] = []
    files = _files([str(path) for path in options.files], unchecked)
    choices = Choices(
        tuple(options.only or ()),
        tuple(options.bibliography),
        options.encoder,
        options.level,
        options.threshold,
        options.confidence,
    )
    stages = Stages()
    checker = Checker(choices, stages)
    findings: list[ReportedFinding] = []
    try:
        for path in map(absolute, files):
            findings += checker.check(path)
    except (RankerError, WorthinessError) as error:
        raise CommandError(str(error)) from error
    finally:
        stages.close()
    unchecked += checker.unchecked
    findings, unchecked = list(dict.fromkeys(findings)), list(dict.fromkeys(unchecked))
    for part in unchecked:
        warn(str(part))
    _print(findings, unchecked, options.format)
    return 1 if findings or unchecked else 0


def _files(names: Sequence[str], unchecked: list[Unchecked]) -> list[Path]:
    """Return the files that are named, and the drafts of folders; see `_readable`.

    Raises:
        CommandError: a name is neither that of a draft nor of a bibliography that can be read.
    """
    files: list[Path] = []
    for path in expand(names):
        is_draft = format_of(path) is not None
        if path.is_dir():
            files += _readable(drafts_in(path), unchecked)
        elif (
            not (is_draft or is_bibliography(path))
            or not path.is_file()
            or not os.access(path, os.R_OK)
            or (is_draft and is_binary_file(path))
        ):
            raise not_a_draft(path, bibliographies=True)
        else:
            files.append(path)
    return files


def _readable(files: Sequence[Path], unchecked: list[Unchecked]) -> Iterator[Path]:
    """Yield the drafts of a folder that can be read; the others are added to `unchecked`."""
    for path in files:
        if not os.access(path, os.R_OK):
            unchecked.append(Unchecked(str(path), "cannot be read; check the permissions"))
        elif is_binary_file(path):
            unchecked.append(Unchecked(str(path), "is no text; rename it, or save it as UTF-8"))
        else:
            yield path


def _print(
    findings: Sequence[ReportedFinding], unchecked: Sequence[Unchecked], format: str
) -> None:
    if format == "json":
        records = {"unchecked": [part.record() for part in unchecked]} if unchecked else {}
        print_json({"findings": [finding.record() for finding in findings]} | records)
    elif format == "sarif":
        print_json(sarif(findings, unchecked, _RULES))
    else:
        for finding in findings:
            print(*map(printable, finding.text_lines()), sep="\n")
