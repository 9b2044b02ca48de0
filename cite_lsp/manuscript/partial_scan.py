"""The layout of a text after an edit: what was found above and below it stays, it alone is scanned.

What is scanned is a stretch of paragraphs around the edit. The scan of the whole text comes to it
as scans begin where nothing that was found reaches over an edge of the stretch, and the stretch as
it was, scanned alone, gives what was found in it. What else a format asks for is said where its
stretches are scanned: `manuscript/latex/incremental.py`, `manuscript/incremental.py`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve, frozen

from cite_lsp.manuscript.layout import Layout, Span, sections_of
from cite_lsp.manuscript.model import Section
from cite_lsp.manuscript.shifted import Parts, extent, parted, shifted
from cite_lsp.manuscript.text.edited import Stretch, last_letter

LISTS = """markers markers_outside_prose references omissions borders code notes tables doi_links
searched""".split()
"""What may stand in a stretch."""
OTHER_LISTS = "declarations inputs items embedded entry_sets reference_lists".split()
"""What may not: it says something of the draft as a whole."""

_Items = dict[str, list[Any]]
Headings = list[tuple[int, int, int, str]]


@frozen
class PartialScan:
    """The layout of a text, the stretch that was scanned for it, and what was found in that."""

    layout: Layout
    stretch: Stretch
    part: Layout


@frozen
class StretchScan:
    """What the scan of a stretch alone has found, where it stands in the whole text."""

    items_by_list: _Items
    headings: Headings


def stretch_scan(
    lists: Mapping[str, Iterable[Any]], headings: Headings, stretch: Stretch
) -> StretchScan:
    """Return what was found in the text that begins one character before a stretch."""
    by = stretch.start - 1
    return StretchScan(
        {name: [shifted(item, by) for item in lists.get(name, ())] for name in LISTS},
        [(start + by, body + by, level, title) for start, body, level, title in headings],
    )


def layout_after_edit(
    before: str, layout: Layout, text: str, stretch: Stretch, old: StretchScan, new: StretchScan
) -> PartialScan | None:
    """Return the layout of a text by that of the text `before`, and what their stretches hold.

    None where more than the stretch may read otherwise.
    """
    if [heading[2] for heading in new.headings] != [heading[2] for heading in old.headings]:
        return None
    scanned_before = _scanned_before(before, layout, stretch)
    if scanned_before is None or not scanned_before.holds(old):
        return None
    last = last_letter(text, stretch.end)  # what is found must end before the blank line there
    if any(extent(item)[1] > last for items in new.items_by_list.values() for item in items):
        return None
    lists: dict[str, Any] = {name: tuple(items) for name, items in new.items_by_list.items()}
    part = Layout(layout.markup, (stretch.start, stretch.end), **lists)
    return PartialScan(scanned_before.with_stretch(new, len(text)), stretch, part)


@frozen
class _ScannedBefore:
    """What was found in a text before an edit: above the stretch that was edited, in it, below.

    `sections_above` are those that end above it; the headings are the ones behind these.
    """

    layout: Layout
    stretch: Stretch
    parts: dict[str, Parts]
    sections_above: tuple[Section, ...]
    headings: Parts

    def holds(self, scan: StretchScan) -> bool:
        """Whether just that stands in the stretch; how far headings reach, the borders say."""
        if any(self.parts[name][1] for name in OTHER_LISTS):
            return False
        headings_before, headings = (
            [(start, level, title) for start, _, level, title in each]
            for each in (self.headings[1], scan.headings)
        )
        return headings_before == headings and all(
            self.parts[name][1] == items for name, items in scan.items_by_list.items()
        )

    def with_stretch(self, scan: StretchScan, length: int) -> Layout:
        """Return the layout of the text of that length in whose stretch these things stand."""
        by = self.stretch.shift
        above, _, below = self.headings
        below = [(start + by, body + by, level, title) for start, body, level, title in below]
        start, end = self.layout.prose
        lists: dict[str, Any] = {
            name: (
                *above_stretch,
                *scan.items_by_list.get(name, ()),
                *([shifted(item, by) for item in below_stretch] if by else below_stretch),
            )
            for name, (above_stretch, _, below_stretch) in self.parts.items()
        }
        return evolve(
            self.layout,
            prose=(start, end + by),
            title_at=self._shifted_span(self.layout.title_at),
            abstract_at=self._shifted_span(self.layout.abstract_at),
            sections=sections_of([*above, *scan.headings, *below], length, self.sections_above),
            **lists,
        )

    def _shifted_span(self, span: Span | None) -> Span | None:
        if span is None or span[0] < self.stretch.start:
            return span
        return shifted(span, self.stretch.shift)


def _scanned_before(text: str, layout: Layout, stretch: Stretch) -> _ScannedBefore | None:
    """Return what was found in a text; None where something reaches over an edge of the stretch."""
    first, last = stretch.start, stretch.end_before
    if not layout.prose[0] <= first <= last <= layout.prose[1]:
        return None
    for span in (layout.title_at, layout.abstract_at):
        if span is not None and span[1] > first and span[0] < last:
            return None
    parts: dict[str, Parts] = {}
    for name in (*LISTS, *OTHER_LISTS):
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
    return _ScannedBefore(layout, stretch, parts, layout.sections[:number], headings)
