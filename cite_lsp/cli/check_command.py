"""Check drafts: citations that are missing or empty, unknown keys, broken bibliographies.

A draft is checked with all files that it includes, a .bib file for itself, a folder with all drafts
in it. What is found is what the server would show. The exit status is 1 where there is something or
where a part could not be checked, so that a build can stop on it, and 0 where there is nothing.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict, evolve, frozen

from cite_lsp import __version__
from cite_lsp.cli import CommandError
from cite_lsp.cli.draft_folders import drafts_in
from cite_lsp.cli.output import Embedding, Stages, print_json, warn
from cite_lsp.cli.project_settings import (
    expect_bibliography,
    is_binary_file,
    not_a_draft,
    project_settings,
    setups_of_drafts,
)
from cite_lsp.option_types import add_paths, share
from cite_lsp.paths import expanded

if TYPE_CHECKING:
    from cite_lsp.manuscript import Manuscript
    from cite_lsp.project.draft import Draft
    from cite_lsp.rules.findings import Finding
    from cite_lsp.server.session.request import Request

LEVELS = ("careful", "balanced", "eager")
FORMATS = ("text", "json", "sarif")
_LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_LONGEST_SHOWN = 80
"""Characters of a sentence that are printed behind a finding."""
_RULES = {
    "missing-citation": "A sentence leans on work that it does not cite",
    "empty-citation": "A citation without a key, or with a word such as TODO in its place",
    "unknown-key": "A key that no entry of the bibliography has",
    "duplicate-key": "A key that several entries have",
    "broken-record": "An entry that cannot be read",
    "missing-bibliography": "A bibliography that is not there",
    "unused-entry": "An entry that nothing cites",
    "retracted": "A paper that was retracted, as a corpus knows",
    "preprint": "A preprint that was published, as a corpus knows",
}
_OF_ENTRIES = ("unused-entry", "preprint")
"""Rules that look at the entries of a bibliography, and are off unless they are asked for."""


@frozen
class Found:
    """One thing to tell: where (lines and columns from 1, in characters), the rule, what.

    Of a missing or empty citation also the sentence, as it is written and as it reads (`said`),
    and the papers it may want, best first.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: str
    rule: str
    message: str
    sentence: str = ""
    said: str = ""
    keys: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it; what it has not is left out."""
        return asdict(self, filter=lambda of, value: of.name != "said" and value not in ("", ()))

    def lines(self) -> Iterator[str]:
        """Yield the lines in which it is printed."""
        place = f"{_shown(self.file)}:{self.line}:{self.column}"
        yield f"{place}: {self.severity}: {self.message} [{self.rule}]"
        if self.keys:
            yield f"    “{_beginning(self.said)}” → {', '.join(self.keys)}"


@frozen
class Unchecked:
    """What could not be checked, and why; `line` is 0 where that is all of the file."""

    file: str
    message: str
    line: int = 0

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self, filter=lambda of, value: value != 0)

    def __str__(self) -> str:
        """Return the line in which it is printed."""
        return f"{_shown(self.file)}{f':{self.line}' if self.line else ''}: {self.message}"


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
    """Print what is found; 1 where there is something, 0 where there is nothing."""
    from cite_lsp.cli.indexing.sources import expand
    from cite_lsp.manuscript import format_of
    from cite_lsp.project.folders import absolute
    from cite_lsp.recommend.base.ranker import RankerError
    from cite_lsp.recommend.missing.worthiness import WorthinessError
    from cite_lsp.server.session.request import is_bibliography

    for path in options.bibliography:
        expect_bibliography(path)
    unchecked: list[Unchecked] = []
    files: list[Path] = []
    for path in expand([str(path) for path in options.files]):
        if path.is_dir():
            files += _readable(drafts_in(path), unchecked)
        elif (
            (format_of(path) is None and not is_bibliography(path))
            or not path.is_file()
            or not os.access(path, os.R_OK)
            or (format_of(path) is not None and is_binary_file(path))
        ):
            raise not_a_draft(path, bibliographies=True)
        else:
            files.append(path)
    stages = Stages()
    found: list[Found] = []
    checked: set[Path] = set()
    try:
        for path in map(absolute, files):
            if path not in checked:
                found += _check(path, options, stages, checked, unchecked)
    except (RankerError, WorthinessError) as error:
        raise CommandError(str(error)) from error
    finally:
        stages.close()
    found, unchecked = list(dict.fromkeys(found)), list(dict.fromkeys(unchecked))
    for one in unchecked:
        warn(str(one))
    if options.format == "json":
        left_out = {"unchecked": [one.record() for one in unchecked]} if unchecked else {}
        print_json({"findings": [one.record() for one in found]} | left_out)
    elif options.format == "sarif":
        print_json(_sarif(found, unchecked))
    else:
        for finding in found:
            print(*finding.lines(), sep="\n")
    return 1 if found or unchecked else 0


def _readable(files: Sequence[Path], unchecked: list[Unchecked]) -> Iterator[Path]:
    """Yield the drafts of a folder that can be read; the others are added to `unchecked`."""
    for path in files:
        if not os.access(path, os.R_OK):
            unchecked.append(Unchecked(str(path), "cannot be read; check the permissions"))
        elif is_binary_file(path):
            unchecked.append(Unchecked(str(path), "is no text; rename it, or save it as UTF-8"))
        else:
            yield path


def _check(
    path: Path,
    options: argparse.Namespace,
    stages: Stages,
    checked: set[Path],
    unchecked: list[Unchecked],
) -> Iterator[Found]:
    """Ask the rules of the server about a draft, as if its files had just been opened there.

    Files in `checked` are passed over, the others put there; what cannot be checked is added to
    `unchecked`.
    """
    from cite_lsp.manuscript import format_of
    from cite_lsp.server.session.request import is_bibliography

    request = _request(path, options)
    if request.is_bibliography:
        checked.add(path)
        if request.path.is_file():  # a name that is no Unicode has no URI
            # Not as an open buffer, which nobody calls empty: as the file that it is.
            request.documents.close(request.document.uri)
            request = evolve(request, snapshot=request.documents.snapshot())
        yield from _wanted(request, options.only or _RULES)
        return
    if request.options.missing.hints != "off":
        request.recommender.prepare(path, cancelled=Embedding())
    draft = request.draft()
    unchecked += _missing_parts(draft)
    if "unknown-key" in (options.only or _RULES) and _switched_on(request, "unknown-key"):
        unchecked += _unchecked_keys(draft)
    for file in draft.project.read_in_by(path):
        if file not in checked and format_of(file) is not None:
            checked.add(file)
            yield from _check_file(_part(request, draft, file), options, stages)
    if any(_switched_on(request, rule) for rule in _OF_ENTRIES):
        for file in draft.project.bibliographies:
            if file not in checked and is_bibliography(file) and file.is_file():
                checked.add(file)
                entries = set(_OF_ENTRIES).intersection(options.only or _OF_ENTRIES)
                yield from _wanted(_part(request, draft, file), entries)


def _unchecked_keys(draft: Draft) -> Iterator[Unchecked]:
    """Yield why it cannot be said which keys of a draft are unknown, unless none is looked up."""
    from cite_lsp.rules.draft_rules import keys_unchecked, looked_up

    reason = keys_unchecked(draft)
    if reason and any(
        not _silenced(manuscript, "unknown-key", key.start)
        for path, manuscript in draft.project.files
        for _, key in looked_up(draft.opened_at(path))
    ):
        message = f"its keys were not checked, because {reason}"
        yield Unchecked(str(draft.path), message)


def _missing_parts(draft: Draft) -> Iterator[Unchecked]:
    """Yield what a draft includes, from the file to be checked on, and is no text or not there."""
    from cite_lsp.manuscript.lines import LineIndex
    from cite_lsp.project.missing_files import missing_files

    parts = draft.project.read_in_by(draft.path)
    for file, offset, path in missing_files(draft.project):
        manuscript = draft.opened_at(file).manuscript
        if file in parts and not _silenced(manuscript, "", offset):
            line = LineIndex(manuscript.text).line_of(offset) + 1
            message = f"includes {path.name}, which is not there; create it or correct the path"
            yield Unchecked(str(file), message, line)
    for file in parts:
        if is_binary_file(file):
            yield Unchecked(str(file), "is no text; save it as UTF-8")


def _silenced(manuscript: Manuscript, rule: str, offset: int) -> bool:
    """Whether a comment silences a rule at an offset; "" is what only silencing all rules does."""
    from cite_lsp.manuscript.lines import LineIndex
    from cite_lsp.manuscript.lint.suppress import suppressions_of

    lines = LineIndex(manuscript.text)
    return suppressions_of(lines).covers(rule, lines.line_of(offset))


def _check_file(request: Request, options: argparse.Namespace, stages: Stages) -> Iterator[Found]:
    from cite_lsp.project.draft import waiting_in
    from cite_lsp.server.watch.missing_hints import hints

    if request.options.missing.hints != "off":
        draft = request.draft()
        if any(waiting_in(draft, sentence) for sentence in draft.manuscript.sentences):
            request.recommender.adapt(request.path)  # of sentences without a marker it says nothing
        name = f"{request.path.name}, sentences"

        def show(done: int, total: int) -> None:
            if total:  # a file of macros has none
                stages.show(name, done, total)

        request = evolve(request, hinted=hints(request, show))
    yield from _wanted(request, options.only or _RULES)


def _wanted(request: Request, rules: Container[str]) -> Iterator[Found]:
    """Yield what some of the rules find."""
    from cite_lsp.rules.examine import examine

    for finding in examine(request):
        if finding.rule in rules:
            yield _found(request, finding)


def _switched_on(request: Request, rule: str) -> bool:
    return bool(getattr(request.options.diagnostics, rule.replace("-", "_")))


def _part(request: Request, draft: Draft, file: Path) -> Request:
    """Return a request on a file of a draft, to be read as a file of that one."""
    from lsprotocol import types

    from cite_lsp.server.session.request import is_bibliography

    if is_bibliography(file):
        text = request.documents.read(file) or ""
    else:
        text = draft.opened_at(file).manuscript.text
    document = request.documents.open(types.TextDocumentItem(file.as_uri(), "", 1, text))
    return evolve(request, document=document, snapshot=request.documents.snapshot(), within=draft)


def _request(path: Path, options: argparse.Namespace) -> Request:
    """Open a draft as the server would, with the settings of its project."""
    from lsprotocol import types

    from cite_lsp.server.rpc.capabilities import Client
    from cite_lsp.server.session.documents import DocumentStore
    from cite_lsp.server.session.draft_cache import RecentDrafts
    from cite_lsp.server.session.engine import Engine
    from cite_lsp.server.session.request import Request

    documents = DocumentStore("utf-32")
    text = documents.read(path)
    if text is None:
        raise CommandError(f"{path}: cannot be read; check the path and the permissions")
    document = documents.open(types.TextDocumentItem(path.as_uri(), "", 1, text))
    settings, setup = project_settings(
        path, bibliographies=options.bibliography, encoder=options.encoder
    )
    missing = settings.missing
    for name in ("level", "threshold", "confidence"):
        if getattr(options, name) is not None:
            missing = evolve(missing, **{name: getattr(options, name)})
    asked = not options.only or "missing-citation" in options.only
    named = {rule.replace("-", "_"): True for rule in _OF_ENTRIES if rule in (options.only or ())}
    settings = evolve(
        settings,
        missing=evolve(missing, hints="onSave" if asked else "off"),
        diagnostics=evolve(settings.diagnostics, **named),
    )
    engine = Engine(documents)
    engine.configure(setup, setups_of_drafts())
    return Request(
        document=document,
        documents=documents,
        client=Client(encoding="utf-32"),
        options=settings,
        engine=engine,
        cancelled=lambda: False,
        snapshot=documents.snapshot(),
        recent=RecentDrafts(),
    )


def _found(request: Request, finding: Finding) -> Found:
    lines = request.documents.lines(finding.path)
    first = last = (0, 0)
    sentence = ""
    if lines is not None:
        first = lines.position(finding.start, "utf-32")
        last = lines.position(finding.end, "utf-32")
        if finding.offers:
            start, end = finding.sentence or (finding.start, finding.end)
            sentence = " ".join(lines.text[start:end].split())
    return Found(
        str(finding.path),
        first[0] + 1,
        first[1] + 1,
        last[0] + 1,
        last[1] + 1,
        finding.severity,
        finding.rule,
        finding.message,
        sentence,
        " ".join(finding.said.split()),
        tuple(offer.key for offer in finding.offers),
        tuple(offer.title for offer in finding.offers),
    )


def _sarif(found: Sequence[Found], unchecked: Sequence[Unchecked]) -> dict[str, Any]:
    """Return the findings as SARIF 2.1.0, which code hosts show beside the lines.

    What could not be checked are notifications of the run, which then was not successful.
    """
    rules = [
        {"id": name, "shortDescription": {"text": text}}
        for name, text in _RULES.items()
        if any(one.rule == name for one in found)
    ]
    results = [
        {
            "ruleId": one.rule,
            "level": _LEVELS[one.severity],
            "message": {"text": one.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _address(one.file)},
                        "region": {
                            "startLine": one.line,
                            "startColumn": one.column,
                            "endLine": one.end_line,
                            "endColumn": one.end_column,
                        },
                    }
                }
            ],
        }
        for one in found
    ]
    driver = {"name": "cite-lsp", "semanticVersion": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    if unchecked:
        notes = [_notification(one) for one in unchecked]
        run["invocations"] = [{"executionSuccessful": False, "toolExecutionNotifications": notes}]
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def _notification(unchecked: Unchecked) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _address(unchecked.file)}}
    if unchecked.line:
        place["region"] = {"startLine": unchecked.line}
    return {
        "level": "error",
        "message": {"text": unchecked.message},
        "locations": [{"physicalLocation": place}],
    }


def _address(file: str) -> str:
    """Return a URI: relative to the current folder, as code hosts want it, where that can be."""
    from urllib.parse import quote

    path = Path(file)
    try:
        return quote(path.relative_to(Path.cwd()).as_posix())
    except ValueError:
        return path.as_uri()


def _shown(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def _beginning(sentence: str) -> str:
    """Return what fits into a line, cut at a word where words are short enough."""
    if len(sentence) <= _LONGEST_SHOWN:
        return sentence
    end = max(sentence.rfind(" ", 0, _LONGEST_SHOWN + 1), _LONGEST_SHOWN // 2)
    return sentence[:end] + " …"
