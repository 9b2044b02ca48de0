"""Words that are typed into a citation that is not closed yet: they are no prose."""

from __future__ import annotations

from attrs import evolve

from cite_lsp.manuscript.draft.blocks import hidden_end
from cite_lsp.manuscript.draft.document import edit_after
from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.draft.unchanged import edited_part
from cite_lsp.manuscript.draft.windows import marker_windows
from cite_lsp.manuscript.model import CitationSite
from cite_lsp.manuscript.text.edited import stretch_around


def closed_at(manuscript: Manuscript, site: CitationSite) -> Manuscript | None:
    """Return a manuscript in which the marker of a site is closed where its key is being typed.

    Without the cursor, what stands behind the first blank is taken for prose: it was there most
    likely. None where nothing reads otherwise, or more than the paragraphs around would have to be
    read again.
    """
    marker, text, layout = site.marker, manuscript.text, manuscript.layout
    if marker.closed or not marker.lists or site.cursor <= hidden_end(text, marker):
        return None
    if layout is not manuscript.scanned or manuscript.names:
        return None
    closed = evolve(marker, end=site.cursor, closed=True)
    markers = tuple(closed if each is marker else each for each in layout.markers)
    closed_layout = evolve(layout, markers=markers)
    stretch = stretch_around(text, marker.start, site.cursor)
    part = edited_part(text, layout, text, closed_layout, stretch) if stretch else None
    if stretch is None or part is None:
        return None
    _, _ = manuscript.blocks, marker_windows(manuscript)  # those far away are the same
    edit = edit_after(manuscript, closed_layout, stretch, part)
    return Manuscript(text, manuscript.format, closed_layout, edit=edit)
