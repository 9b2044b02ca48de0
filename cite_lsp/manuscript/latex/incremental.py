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
from bisect import bisect_left
from typing import Any

from attrs import evolve, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.reading.files import root_in_comment
from cite_lsp.manuscript.latex.scan import short_signs, start_scan
from cite_lsp.manuscript.latex.state import LatexScan
from cite_lsp.manuscript.layout import Layout, Span, sections_of
from cite_lsp.manuscript.model import Commands, Section
from cite_lsp.manuscript.shifted import Parts, extent, parted, shifted
from cite_lsp.manuscript.text.edited import Stretch, edited_stretch, last_letter

_BEHIND = 10_000
"""How far behind the stretch its scan can see; no command looks further for its arguments."""
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
_CITE = lazy_re("cite", re.IGNORECASE)
_LISTS = "markers markers_outside_prose references omissions borders code notes tables".split()
_OTHER_LISTS = "declarations inputs items embedded entry_sets".split()

_Items = dict[str, list[Any]]
_Headings = list[tuple[int, int, int, str]]


@frozen
class Rescan:
    """The layout of a text, the stretch that was scanned for it, and what was found in that."""

    layout: Layout
    stretch: Stretch
    part: Layout


def reread(before: str, layout: Layout, text: str) -> Rescan | None:
    """Return the layout of a text, read by that of the text before an edit.

    `layout` is what the scan of the text `before` gave, for which other files defined the same
    commands. None where the whole text has to be scanned.
    """
    stretch = edited_stretch(before, text)
    if stretch is None or short_signs(layout.commands) or not _may_be_read(before, text, stretch):
        return None
    old = _scan(before, stretch.start, stretch.end_before, layout.commands)
    new = _scan(text, stretch.start, stretch.end, layout.commands)
    if old is None or new is None:
        return None
    if not new.handled <= old.handled:  # of the others it is not known what they depend on
        return None
    headings, headings_before = _headings(new, stretch), _headings(old, stretch)
    if [heading[2] for heading in headings] != [heading[2] for heading in headings_before]:
        return None
    known = _known(before, layout, stretch)
    items_by_list = _items_in(new, stretch)
    if known is None or not known.holds(_items_in(old, stretch), headings_before):
        return None
    last = last_letter(text, stretch.end)  # what is found must end before the blank line there
    if any(extent(item)[1] > last for items in items_by_list.values() for item in items):
        return None
    lists: dict[str, Any] = {name: tuple(items) for name, items in items_by_list.items()}
    part = Layout(layout.markup, (stretch.start, stretch.end), **lists)
    return Rescan(known.with_stretch(items_by_list, headings, len(text)), stretch, part)


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
    scan = start_scan(text[start - 1 : end + _BEHIND], commands)
    return scan if scan.read(1, stop) <= stop and scan.is_as_begun(stop) else None


def _items_in(scan: LatexScan, stretch: Stretch) -> _Items:
    """Return what the scan of a stretch has found, where it stands in the whole text."""
    lists = {name: getattr(scan, name) for name in _LISTS if name != "tables"}
    lists["tables"] = scan.tables.tables()
    return {name: [shifted(item, stretch.start - 1) for item in lists[name]] for name in _LISTS}


def _headings(scan: LatexScan, stretch: Stretch) -> _Headings:
    by = stretch.start - 1
    return [(start + by, body + by, level, title) for start, body, level, title in scan.headings]


@frozen
class _Known:
    """What was found in a text before an edit: above the stretch that was edited, in it, below.

    `sections_above` are those that end above it; the headings are the ones behind these.
    """

    layout: Layout
    stretch: Stretch
    parts: dict[str, Parts]
    sections_above: tuple[Section, ...]
    headings: Parts

    def holds(self, items_by_list: _Items, headings: _Headings) -> bool:
        """Whether just that stands in the stretch; how far headings reach, the borders say."""
        if any(self.parts[name][1] for name in _OTHER_LISTS):
            return False
        known, scanned = (
            [(start, level, title) for start, _, level, title in each]
            for each in (self.headings[1], headings)
        )
        return known == scanned and all(
            self.parts[name][1] == items for name, items in items_by_list.items()
        )

    def with_stretch(self, items_by_list: _Items, headings: _Headings, length: int) -> Layout:
        """Return the layout of the text of that length in whose stretch these things stand."""
        by = self.stretch.shift
        above, _, below = self.headings
        below = [(start + by, body + by, level, title) for start, body, level, title in below]
        start, end = self.layout.prose
        lists: dict[str, Any] = {
            name: (
                *above_stretch,
                *items_by_list.get(name, ()),
                *([shifted(item, by) for item in below_stretch] if by else below_stretch),
            )
            for name, (above_stretch, _, below_stretch) in self.parts.items()
        }
        return evolve(
            self.layout,
            prose=(start, end + by),
            title_at=self._shifted_span(self.layout.title_at),
            abstract_at=self._shifted_span(self.layout.abstract_at),
            sections=sections_of([*above, *headings, *below], length, self.sections_above),
            **lists,
        )

    def _shifted_span(self, span: Span | None) -> Span | None:
        if span is None or span[0] < self.stretch.start:
            return span
        return shifted(span, self.stretch.shift)


def _known(text: str, layout: Layout, stretch: Stretch) -> _Known | None:
    """Return what was found in a text; None where something reaches over an edge of the stretch."""
    first, last = stretch.start, stretch.end_before
    if not layout.prose[0] <= first <= last <= layout.prose[1]:
        return None
    for span in (layout.title_at, layout.abstract_at):
        if span is not None and span[1] > first and span[0] < last:
            return None
    parts: dict[str, Parts] = {}
    for name in (*_LISTS, *_OTHER_LISTS):
        parted_items = parted(getattr(layout, name), text, first, last)
        if parted_items is None:
            return None
        parts[name] = parted_items
    number = bisect_left(layout.sections, first, key=lambda section: section.end)
    headings: Parts = ([], [], [])
    for s in layout.sections[number:]:
        if s.level:
            side = 0 if s.start < first else 1 if s.start < last else 2
            headings[side].append((s.start, s.body, s.level, s.title))
    return _Known(layout, stretch, parts, layout.sections[:number], headings)
