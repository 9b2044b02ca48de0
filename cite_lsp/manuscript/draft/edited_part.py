"""What of a manuscript an edit has left as it was, by two scans of the whole text.

Of LaTeX an edit is scanned alone (`manuscript/latex/incremental.py`). A scan of other formats takes
less than cutting paragraphs and reading the words around markers: that is done where the edit is.
"""

from __future__ import annotations

from typing import Any

from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.shifted import parted, shifted
from cite_lsp.manuscript.text.edited import Stretch

_LISTS = "markers references omissions borders notes tables".split()


def edited_part(
    before: str, layout_before: Layout, text: str, layout: Layout, stretch: Stretch
) -> Layout | None:
    """Return the layout of the stretch alone; None where more changed or reaches over an edge."""
    (start, end), (start_before, end_before) = layout.prose, layout_before.prose
    if start != start_before or end != end_before + stretch.shift or start > stretch.start:
        return None
    if end < stretch.end or layout.run_in != layout_before.run_in:
        return None
    headings, headings_before = (
        [(section.start, section.level) for section in each.sections]
        for each in (layout, layout_before)
    )
    above, below = (
        [heading for heading in headings if heading[0] < stretch.start],
        [(at - stretch.shift, level) for at, level in headings if at >= stretch.end],
    )
    if above != [heading for heading in headings_before if heading[0] < stretch.start]:
        return None
    if below != [heading for heading in headings_before if heading[0] >= stretch.end_before]:
        return None
    lists: dict[str, Any] = {}
    for name in _LISTS:
        items, items_before = getattr(layout, name), getattr(layout_before, name)
        parts = parted(items, text, stretch.start, stretch.end)
        if items is items_before and text is before:
            parts_before = parts
        else:
            parts_before = parted(items_before, before, stretch.start, stretch.end_before)
        if parts is None or parts_before is None or parts[0] != parts_before[0]:
            return None
        below_before = parts_before[2]
        if stretch.shift:
            below_before = [shifted(item, stretch.shift) for item in below_before]
        if parts[2] != below_before:
            return None
        lists[name] = tuple(parts[1])
    return Layout(layout.markup, (stretch.start, stretch.end), **lists)
