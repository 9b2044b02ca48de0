r"""Read a LaTeX draft again after an edit: only the paragraphs around the edit are scanned.

What is scanned is a stretch: the paragraphs that were edited, and one more on either side. All that
was found above it stays as it is, all that was found below it moves. A scan of the whole text gives
the same where three things hold. They are looked at each time, and where one does not hold the
whole text is scanned:

- Nothing that was found reaches over an edge of the stretch.
- The stretch as it was, scanned alone, gives what the scan of the whole text had found in it, so
  that scan came to it as scans begin. And it leaves nothing behind that is of use further on.
- What is looked for from far away (`\end{…}`, `\]`, the brace that closes a group) stands in it in
  the same order as before, and nothing in it, or shortly before, defines a command.
"""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.reading.files import root_in_comment
from cite_lsp.manuscript.latex.scan import short_signs, start_scan
from cite_lsp.manuscript.latex.state import LatexScan
from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.model import Commands
from cite_lsp.manuscript.partial_scan import (
    PartialScan,
    StretchScan,
    layout_after_edit,
    stretch_scan,
)
from cite_lsp.manuscript.scan_base import LONGEST_COMMAND
from cite_lsp.manuscript.text.edited import Stretch, edited_stretch

_BEFORE = 10_000
"""How far before the stretch no command may be defined: no longer body is read."""
_DEFINES = lazy_re(
    r"""\\(?:
        (?:long|lst|re)?new(?!line(?![A-Za-z@])|page(?![A-Za-z@]))[A-Za-z@]
      | (?:provide|Provide|Declare|New|Renew|Define|Undefine|Custom|Recustom|LetLtx)[A-Za-z@]
      | (?:Make|Delete|lstMake|lstDelete)Short
      | (?:[egx]?def|let|acro|specialcomment|(?:ex|in)clude(?:comment|version))(?![A-Za-z@])
      )""",
    re.VERBOSE,
)
"""What defines a command or an abbreviation, or makes a character short for code."""
_CONDITIONAL = lazy_re(r"\\(?:if[A-Za-z@]*|fi|else|endinput)(?![A-Za-z@])")
_LOOKED_FOR = lazy_re(r"\\(?:begin|end)\s*\{[^{}]*\}|\\\]|\\fi|\n@")
"""What commands that stand before it look for in the text as it is written, comments included."""
_EDGE = lazy_re(r"\\[\\%]|%[^\n]*|\\(?P<edge>begin|end)\s*\{(?P<name>[^{}]*)\}")
_SIGNS = (
    lazy_re(r"\\.|[{}\[\]]", re.DOTALL),
    lazy_re(r"\\.|%[^\n]*|[{}\[\]]", re.DOTALL),
)
_LISTS = "markers markers_outside_prose references omissions borders code notes".split()
_CITE = lazy_re("cite", re.IGNORECASE)


def reread_latex(before: str, layout: Layout, text: str) -> PartialScan | None:
    """Return the layout of a text, read by that of the text before an edit.

    `layout` is what the scan of the text `before` gave, for which other files defined the same
    commands. None where the whole text has to be scanned.
    """
    stretch = edited_stretch(before, text)
    commands = layout.cite_commands
    if stretch is None or short_signs(commands) or not _may_be_read(before, text, stretch):
        return None
    old = _scan(before, stretch.start, stretch.end_before, commands)
    new = _scan(text, stretch.start, stretch.end, commands)
    if old is None or new is None:
        return None
    if not new.handled <= old.handled:  # of the others it is not known what they depend on
        return None
    return layout_after_edit(
        before, layout, text, stretch, _stretch_scan(old, stretch), _stretch_scan(new, stretch)
    )


def _may_be_read(before: str, text: str, stretch: Stretch) -> bool:
    """Whether what commands elsewhere look for in the stretch is there as it was."""
    start = stretch.start
    was, now = before[start - 1 : stretch.end_before], text[start - 1 : stretch.end]
    if _DEFINES.search(text, max(start - _BEFORE, 0), start) or "\\newcites" in before:
        return False
    if now.lstrip()[:1] in ("{", "[", "("):  # as the argument of a command before it
        return False
    if _LOOKED_FOR.findall(was) != _LOOKED_FOR.findall(now) or _edges(was) != _edges(now):
        return False
    if (_CITE.search(before) is None) != (_CITE.search(text) is None):
        return False
    if root_in_comment(before) != root_in_comment(text):
        return False
    return all(
        not _DEFINES.search(part) and not _CONDITIONAL.search(part) and _nests(_edges(part))
        for part in (was, now)
    ) and all(_groups_are_apart(text, start, part) for part in (was, now))


def _groups_are_apart(text: str, start: int, part: str) -> bool:
    """Whether no group that opens before a stretch closes in another place by what stands in it."""
    above = text[max(start - _BEFORE, 0) : start]
    for sign in _SIGNS:
        opened, closed_more = _groups(part, sign)
        if closed_more or (opened and _groups(above, sign)[0]):
            return False
    return True


def _edges(part: str) -> list[tuple[str, str]]:
    """Return where environments begin and end that stand in no comment, by their names."""
    return [(edge["edge"], edge["name"]) for edge in _EDGE.finditer(part) if edge["edge"]]


def _nests(edges: list[tuple[str, str]]) -> bool:
    opened: list[str] = []
    for edge, name in edges:
        if edge == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    return not opened


def _groups(part: str, sign: re.Pattern[str]) -> tuple[int, bool]:
    """Return how many braces a text leaves open, and whether a brace or bracket closes too many."""
    braces = brackets = 0
    closed_more = False
    for match in sign.finditer(part):
        match match.group():
            case "{":
                braces += 1
            case "[":
                brackets += 1
            case "}" if braces:
                braces -= 1
            case "]" if brackets:
                brackets -= 1
            case "}" | "]":
                closed_more = True
    return braces, closed_more


def _scan(text: str, start: int, end: int, commands: Commands) -> LatexScan | None:
    """Scan a stretch alone; None where that leaves a state behind that decides on what follows.

    The text of the scan begins one character before the stretch.
    """
    stop = end - start + 1
    scan = start_scan(text[start - 1 : end + LONGEST_COMMAND], commands)
    return scan if scan.read(1, stop) <= stop and scan.is_as_begun(stop) else None


def _stretch_scan(scan: LatexScan, stretch: Stretch) -> StretchScan:
    lists = {name: getattr(scan, name) for name in _LISTS}
    return stretch_scan({**lists, "tables": scan.tables.tables()}, scan.headings, stretch)
