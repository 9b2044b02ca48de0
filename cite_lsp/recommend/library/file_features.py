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
from cite_lsp.recommend.library.cited_rows import Integers, OrderedRows

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


def file_features(
    context: Context, cited: OrderedRows, row_of: Mapping[str, int], size: int
) -> dict[str, Column]:
    """Return `FILE_FEATURES` of a pool whose rows are the entries of files, in order.

    `cited` is what the mentions of the context cite of it. Columns of shape (size,).
    """
    rows_near: tuple[Sequence[int] | Integers, ...] = (
        cited.before(context.order),
        cited.behind(context.order),
        cited.around(context.order, MARKERS_AROUND),
        [row_of[key] for key in context.section_cited if key in row_of],
        [row_of[key] for key in context.marker_cited if key in row_of],
    )
    columns = {
        name: _entries_to(rows, size) for name, rows in zip(FILE_FEATURES, rows_near, strict=False)
    }
    columns["file_habit"] = np.full(size, _filing_habit(cited, size), dtype=np.float32)
    return columns


def filed_beside(context: Context, row_of: Mapping[str, int], row: int) -> int | None:
    """Return the row right above or below that a neighbouring marker cites, None if none does."""
    around = {
        row_of.get(key)
        for mention in context.mentions
        if abs(mention.order - context.order) <= 1
        for key in mention.keys
    }
    return next((other for other in (row - 1, row + 1) if other in around), None)


def _entries_to(rows: Sequence[int] | Integers, size: int) -> Column:
    """Return the distance of each row to the nearest of `rows`, itself left out, shape (size,)."""
    unknown = np.full(size, np.nan, dtype=np.float32)
    if not len(rows) or not size:
        return unknown
    places = np.unique(np.array(rows, dtype=np.float32))
    bounded = np.concatenate([[-np.inf], places, [np.inf]]).astype(np.float32)
    all_rows = np.arange(size, dtype=np.float32)
    before = bounded[np.searchsorted(places, all_rows, side="left")]
    behind = bounded[np.searchsorted(places, all_rows, side="right") + 1]
    nearest = np.minimum(all_rows - before, behind - all_rows)
    return np.where(np.isfinite(nearest), nearest, unknown).astype(np.float32)


def _filing_habit(cited: OrderedRows, size: int) -> float:
    """Return how much more often than by chance neighbouring markers cite neighbouring entries."""
    chance = min(1.0, 2 * ENTRIES_BESIDE / max(size, 1))
    # Each row that a marker cites is looked for among those of the marker before, by one number
    # that holds both.
    number = np.cumsum(np.diff(cited.markers, prepend=-1) > 0)
    sorted_places = np.concatenate([[-np.inf], number * float(3 * size) + cited.rows, [np.inf]])
    positions = (number - 1) * float(3 * size) + cited.rows
    behind = np.searchsorted(sorted_places, positions)
    away = np.minimum(positions - sorted_places[behind - 1], sorted_places[behind] - positions)
    # Farther away than the library is long: what another marker cites.
    away = away[(number > 1) & (away > 0)]
    return float(((away <= ENTRIES_BESIDE).sum() + chance) / (len(away) + 1) - chance)
