"""Features of the position in the bibliography file, beside the entries cited near a place.

Writers add papers that they read together, and many in the order in which they cite them: in most
drafts, of the papers that are cited for the first time one in five to two in five are among the
five uncited entries nearest to what the marker before cites. The draft's other markers show whether
this writer does so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.columns import Column

FILE_FEATURES = (
    "file_previous",
    "file_next",
    "file_around",
    "file_section",
    "file_companion",
    "file_habit",
)
"""Entries between a paper and the nearest entry cited at the marker before, at the one behind, at
the markers around, in the section, in this marker; NaN where nothing is cited. `file_habit` is how
much more often than by chance neighbouring markers of this draft cite neighbouring entries."""

MARKERS_AROUND = 3
"""Markers at most this far away count as around."""
ENTRIES_BESIDE = 3
"""Entries at most this far apart count as neighbouring."""


def file_features(context: Context, row_of: Mapping[str, int], size: int) -> dict[str, Column]:
    """Return `FILE_FEATURES` of a pool whose rows are the entries of files, in order.

    Columns of shape (size,).
    """
    cited = [
        (mention.order, sorted({row_of[key] for key in mention.keys if key in row_of}))
        for mention in sorted(context.mentions, key=lambda mention: mention.order)
    ]
    cited = [(order, rows) for order, rows in cited if rows]
    earlier = [rows for order, rows in cited if order < context.order]
    later = [rows for order, rows in cited if order >= context.order]
    around = _cited_around(context, row_of)
    known = {row_of[key] for key in context.section_cited if key in row_of}
    here = {row_of[key] for key in context.marker_cited if key in row_of}
    sets: tuple[Sequence[int] | set[int], ...] = (
        earlier[-1] if earlier else (),
        later[0] if later else (),
        around,
        known,
        here,
    )
    columns = {
        name: _entries_to(rows, size) for name, rows in zip(FILE_FEATURES, sets, strict=False)
    }
    filing_habit = _filing_habit([rows for _, rows in cited], size)
    columns["file_habit"] = np.full(size, filing_habit, dtype=np.float32)
    return columns


def filed_beside(context: Context, row_of: Mapping[str, int], row: int) -> int | None:
    """Return the row right above or below that a neighbouring marker cites, None if none does."""
    return next(
        (other for other in _cited_around(context, row_of, 1) if abs(other - row) == 1), None
    )


def _cited_around(
    context: Context, row_of: Mapping[str, int], markers: int = MARKERS_AROUND
) -> set[int]:
    return {
        row_of[key]
        for mention in context.mentions
        if abs(mention.order - context.order) <= markers
        for key in mention.keys
        if key in row_of
    }


def _entries_to(rows: Sequence[int] | set[int], size: int) -> Column:
    """Return the distance of each row to the nearest of `rows`, itself left out, shape (size,)."""
    unknown = np.full(size, np.nan, dtype=np.float32)
    if not rows or not size:
        return unknown
    places = np.array(sorted(rows), dtype=np.float32)
    bounded = np.concatenate([[-np.inf], places, [np.inf]]).astype(np.float32)
    all_rows = np.arange(size, dtype=np.float32)
    before = bounded[np.searchsorted(places, all_rows, side="left")]
    behind = bounded[np.searchsorted(places, all_rows, side="right") + 1]
    nearest = np.minimum(all_rows - before, behind - all_rows)
    return np.where(np.isfinite(nearest), nearest, unknown).astype(np.float32)


def _filing_habit(cited: Sequence[Sequence[int]], size: int) -> float:
    """Return how much more often than by chance neighbouring markers cite neighbouring entries."""
    chance = min(1.0, 2 * ENTRIES_BESIDE / max(size, 1))
    hits = pairs = 0
    for rows, next_rows in zip(cited, cited[1:], strict=False):
        for row in next_rows:
            if row not in rows:
                pairs += 1
                hits += min(abs(row - place) for place in rows) <= ENTRIES_BESIDE
    return (hits + chance) / (pairs + 1) - chance
