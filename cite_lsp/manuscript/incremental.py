"""Read a Markdown, Typst or Org draft again after an edit: only paragraphs around it are scanned.

The stretch that is scanned begins and ends with a whole paragraph that the edit has not touched.
What a scan looks for is found in its paragraph, or a range of the layout reaches to where it looked
(`searched` where no other does): then no such range may reach over an edge of the stretch
(`manuscript/partial_scan.py`). Some things are looked for in the text as a whole. Where one may
stand in the stretch, the whole text is scanned.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.model import LabelCommand
from cite_lsp.manuscript.partial_scan import (
    LISTS,
    OTHER_LISTS,
    PartialScan,
    StretchScan,
    layout_after_edit,
    stretch_scan,
)
from cite_lsp.manuscript.scan_base import ABSTRACT_HEADINGS, PATIENCE
from cite_lsp.manuscript.text.edited import Stretch, edited_stretch, stretch_around

_BLANK_LINE = lazy_re(r"\n[ \t\r]*\n")
_NEVER = lazy_re(r"(?!)")
_MOST_STEPS = 8
"""How many paragraphs on either side a stretch may need more, so that it begins and ends well."""


@frozen
class _Format:
    """What of a format is not found in its paragraph, nor shown by a range of the layout.

    `says` is what counts for the whole draft, in the stretch or so many characters `before` and
    `behind` it. A paragraph that `goes_on` may belong to those above it. `says_anywhere` is what
    changes how other paragraphs read wherever it stands.
    """

    says: re.Pattern[str]
    before: int = 0
    behind: int = 0
    goes_on: re.Pattern[str] = _NEVER
    says_anywhere: str = ""


_FORMATS = {
    "markdown": _Format(
        lazy_re(r"^[ \t>]*---[ \t]*\r?\n(?:#[^\n]*\n)*+[\w-]+:\s", re.MULTILINE),
        goes_on=lazy_re(r"(?: {4}|\t)"),
        says_anywhere="(@",
    ),
    "typst": _Format(
        lazy_re(
            r"\blet\s+[A-Za-z_]|title:|abstract|\b(?:date|year|key|short|lang(?:uage)?):|/\*|\*/"
        ),
        before=10_000,
        behind=5_000,
    ),
    "org": _Format(
        lazy_re(
            r"^[ \t]*#\+(?!begin_(?!abstract)|end_|caption|attr_|name:|label:|results)[\w-]",
            re.MULTILINE | re.IGNORECASE,
        )
    ),
}


def reread(
    before: str, layout: Layout, text: str, format: str, scan: Callable[[str], Layout]
) -> PartialScan | None:
    """Return the layout of a text, read by that of the text before an edit.

    `layout` is what the scan of the text `before` gave, and `scan` that of a text alone with what
    the functions of the draft do. None where the whole text has to be scanned.
    """
    rules = _FORMATS[format]
    stretch = _stretch(before, text, rules)
    if stretch is None or not _may_be_read(before, layout, text, stretch, rules):
        return None
    old = scan(_alone(before, stretch.start, stretch.end_before))
    new = scan(_alone(text, stretch.start, stretch.end))
    if not _is_silent(old, layout) or not _is_silent(new, layout):
        return None
    if (old.labels, old.anchors, old.unclosed) != (new.labels, new.anchors, new.unclosed):
        return None
    if not _says_as_much(old, new, layout, stretch):
        return None
    return layout_after_edit(
        before, layout, text, stretch, _stretch_scan(old, stretch), _stretch_scan(new, stretch)
    )


def _stretch(before: str, text: str, rules: _Format) -> Stretch | None:
    """Return the paragraphs around an edit, whose first and last one stand by themselves."""
    stretch = edited_stretch(before, text)
    by = len(text) - len(before)
    for _ in range(_MOST_STEPS):
        if stretch is None or _stands_alone(before, stretch.start, stretch.end_before, rules):
            return stretch
        around = stretch_around(before, stretch.start, stretch.end_before)
        stretch = around and Stretch(around.start, around.end + by, around.end)
    return None


def _stands_alone(text: str, start: int, end: int, rules: _Format) -> bool:
    """Whether neither the first nor the last paragraph goes on from above, nor the one behind."""
    if rules.goes_on is _NEVER:
        return True
    last = max((blank.end() for blank in _BLANK_LINE.finditer(text, start, end)), default=start)
    return not any(rules.goes_on.match(text, _line_behind(text, at)) for at in (start, last, end))


def _line_behind(text: str, offset: int) -> int:
    """Return where the first line begins, from the beginning of a line on, that is not blank."""
    while (end := text.find("\n", offset)) >= 0 and not text[offset:end].strip():
        offset = end + 1
    return offset


def _may_be_read(before: str, layout: Layout, text: str, stretch: Stretch, rules: _Format) -> bool:
    """Whether nothing in the stretch, nor near it, counts for the whole draft."""
    if layout.unclosed > PATIENCE:
        return False
    if any(isinstance(command, LabelCommand) for command in layout.cite_commands.values()):
        return False
    if rules.says_anywhere and (rules.says_anywhere in before or rules.says_anywhere in text):
        return False
    return not any(
        rules.says.search(each, max(stretch.start - rules.before, 0), end + rules.behind)
        for each, end in ((before, stretch.end_before), (text, stretch.end))
    )


def _alone(text: str, start: int, end: int) -> str:
    """Return a stretch with the line break before it and the blank line behind."""
    blank = text.find("\n", end)
    return text[start - 1 : len(text) if blank < 0 else blank + 1]


def _is_silent(part: Layout, layout: Layout) -> bool:
    """Whether a stretch says nothing of the draft as a whole."""
    return (
        part.cite_commands == layout.cite_commands
        and not part.names
        and part.year is None
        and not part.reference_kinds
        and not any(getattr(part, name) for name in OTHER_LISTS)
    )


def _says_as_much(old: Layout, new: Layout, layout: Layout, stretch: Stretch) -> bool:
    """Whether no heading is edited, which may be the title, and nothing in the abstract."""
    titles, titles_before = (
        [section.title for section in part.sections if section.level] for part in (new, old)
    )
    return titles == titles_before and not any(
        section.title.casefold() in ABSTRACT_HEADINGS
        for section in layout.sections
        if section.start < stretch.end_before and stretch.start < section.end
    )


def _stretch_scan(part: Layout, stretch: Stretch) -> StretchScan:
    lists = {name: getattr(part, name) for name in LISTS}
    headings = [(s.start, s.body, s.level, s.title) for s in part.sections if s.level]
    return stretch_scan(lists, headings, stretch)
