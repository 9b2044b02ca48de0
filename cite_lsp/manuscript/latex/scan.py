"""The scan itself: from stop to stop, each handed to what reads commands of its kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache, partial

from attrs import evolve

from cite_lsp.manuscript.latex.commands.citation_commands import (
    NAMES_WITHOUT_CITE,
    definitions,
    markers_in,
)
from cite_lsp.manuscript.latex.commands.hiding import REMARKS
from cite_lsp.manuscript.latex.prose import LATEX, SETTINGS
from cite_lsp.manuscript.latex.reading import (
    defining,
    environments,
    files,
    headings,
    items,
    left_out,
    verbatim,
)
from cite_lsp.manuscript.latex.state import RUN_IN, Handler, LatexScan
from cite_lsp.manuscript.latex.superscript import raising_formula
from cite_lsp.manuscript.layout import Layout, sections_of
from cite_lsp.manuscript.model import (
    CiteCommand,
    Command,
    Commands,
    FileCommand,
    FormulaEdge,
    HeadingCommand,
    HidingCommand,
    Marker,
    TopicBibliography,
    VerbatimCommand,
)
from cite_lsp.manuscript.scan_base import BaseScan
from cite_lsp.manuscript.shifted import shifted
from cite_lsp.manuscript.text.paragraphs import plain_text

_HANDLERS: dict[str, Handler] = {
    **headings.HANDLERS,
    **defining.HANDLERS,
    **files.HANDLERS,
    **items.HANDLERS,
    **environments.HANDLERS,
    **left_out.HANDLERS,
    **verbatim.HANDLERS,
}


def scan_latex(text: str, commands: Commands) -> Layout:
    """Read the layout of a LaTeX draft; `commands` are those that its other files define."""
    short_verbs = {sign for sign in short_signs(commands) if commands[sign]}
    scan = start_scan(text, definitions(text, commands))
    scan.short_verbs = short_verbs
    scan.read(0, len(text))
    scan.tables.leave_tables(scan.end)
    abstract = scan.abstracts.get("abstract") or next(iter(scan.abstracts.values()), None)
    return evolve(
        scan.layout(LATEX),
        prose=(scan.prose_start, scan.end),
        title=plain_text(text[slice(*scan.title)], LATEX) if scan.title else "",
        abstract=plain_text(text[slice(*abstract)], LATEX) if abstract else "",
        title_at=scan.title,
        abstract_at=abstract,
        year=scan.year,
        root=files.root_in_comment(text) or scan.root,
        group_level=3,
        run_in=RUN_IN,
        sections=sections_of([h for h in scan.headings if h[0] < scan.end], len(text)),
        markers=tuple(marker for marker in scan.markers if marker.start < scan.end),
        items=items.items_of(scan),
        embedded=tuple(scan.embedded),
        externals=tuple(scan.externals),
        entry_sets=tuple(scan.entry_sets),
        tables=scan.tables.tables(),
        searched=(),
        unclosed=0,
    )


def read_latex_part(outer: BaseScan, start: int, end: int) -> None:
    """Read what LaTeX in a draft of another format cites, beside the prose, and bibliographies."""
    text = outer.text[start:end]
    scan = start_scan(text, definitions(text, outer.commands))
    scan.read(0, len(text))
    for marker in (*scan.markers, *scan.markers_outside_prose):
        if not any("#" in key.text for key in marker.keys):  # of a definition
            outer.markers_outside_prose.append(shifted(marker, start))
    outer.declarations += (shifted(declared, start) for declared in scan.declarations)


def start_scan(text: str, commands: Commands) -> LatexScan:
    """Return a scan that has read nothing yet; `commands` are those of the text, too."""
    extra = frozenset(
        name
        for name, command in commands.items()
        if isinstance(command, CiteCommand) and "cite" not in name.lower()
    )
    draft_handlers = {
        name: handler
        for name, command in commands.items()
        if (handler := _own_handler(name, command)) is not None
    }
    renewed = {name: draft_handlers[name] for name in REMARKS & draft_handlers.keys()}
    signs = "".join(sorted(short_signs(commands)))
    pattern = _stopping_pattern(extra, frozenset(draft_handlers), signs)
    return LatexScan(text, commands, partial(_run, pattern, draft_handlers | _HANDLERS | renewed))


def _own_handler(name: str, command: Command) -> Handler | None:
    """Return what reads a command of the draft's own, None where nothing needs to."""
    match command:
        case HidingCommand() if not name.startswith("\\"):
            read = headings.own_remark if command.remark else left_out.hidden
            return partial(read, command=command)
        case VerbatimCommand() if name[0].isalpha():
            return verbatim.inline
        case FormulaEdge(begins=True):
            return partial(environments.formula, edge=command)
        case FileCommand():
            return partial(files.own_command, command=command)
        case TopicBibliography():
            return files.name_bibliography
        case HeadingCommand():
            return lambda scan, match, _name: headings.heading(scan, match, command.like)
    return None


def short_signs(commands: Commands) -> frozenset[str]:
    """Return the characters that a draft makes short for code, if only in a part of it."""
    return frozenset(
        name
        for name, command in commands.items()
        if len(name) == 1
        and not name.isalnum()
        and (command is None or isinstance(command, VerbatimCommand))
    )


def _run(
    pattern: re.Pattern[str],
    handlers: Mapping[str, Handler],
    scan: LatexScan,
    position: int,
    stop: int,
) -> int:
    search, text = pattern.search, scan.text
    while (match := search(text, position, stop)) and match.start() < scan.end:
        kind = match.lastgroup
        if kind is None:
            position = match.end()
        elif kind == "cite":
            position = _cite(scan, match)
        elif kind == "name":
            name = match["name"]
            scan.handled.add(name)
            position = handlers[name](scan, match, name)
        else:
            scan.handled.add(kind)
            position = _read_other(scan, match, kind)
        if scan.end < position:
            break
    return position


def _read_other(scan: LatexScan, match: re.Match[str], kind: str) -> int:
    if kind == "chunk":
        return left_out.chunk(scan, match)
    if kind == "short":
        return verbatim.short(scan, match)
    if kind == "settings":
        return headings.settings(scan, match)
    return scan.omit_until(match, "\\]")


def _cite(scan: LatexScan, match: re.Match[str]) -> int:
    marker = scan.cite(match, match["cite"])
    if not marker:
        return match.end()
    _add_raising_formula(scan, marker)
    scan.markers_outside_prose += markers_in(scan.text, match.end(), marker.end, scan.commands)
    return marker.end


def _add_raising_formula(scan: LatexScan, marker: Marker) -> None:
    """Take the formula that raises a marker for the marker: what is in it is no prose."""
    raised = raising_formula(scan.text, marker)
    inside = raised and scan.references and raised[0] < scan.references[-1][1]
    if raised and not inside:
        scan.references.append(raised)


@lru_cache(maxsize=16)
def _stopping_pattern(
    extra: frozenset[str], handled: frozenset[str], short: str
) -> re.Pattern[str]:
    """Return the pattern of a scan's stops.

    `extra` are citing names that the draft defines, `handled` others of its own with a handler,
    `short` the characters that it makes short for code. No group matches at a comment or an
    escaped character.
    """
    handler_names = "|".join(sorted({*_HANDLERS, *handled}, key=len, reverse=True))
    signs = re.escape(short)
    code = rf"|(?P<short>(?<=[{signs}]))" if short else ""
    names = "".join(rf"|{re.escape(name)}" for name in sorted(extra, key=len, reverse=True))
    return re.compile(
        rf"""[\\%<{signs}](?:(?<=%)[^\n]*|(?<=<)(?<![^\n]<)(?P<chunk><[^\n]*>>=)|(?<=\\)(?:
            [\\%{{}}{signs}]
          | (?P<display>\[)
          | (?P<name>{handler_names})(?![A-Za-z@])\*?
          | (?P<settings>(?:{SETTINGS})(?![A-Za-z@]))
          | (?P<cite>(?:[A-Za-z@]*(?i:cite)[A-Za-z@]*|{NAMES_WITHOUT_CITE}{names})(?![A-Za-z@])\*?)
        ){code})""",
        re.VERBOSE,
    )
