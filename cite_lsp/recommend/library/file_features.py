"""Where papers stand in the writer's bibliography file, beside those that are cited near a place.

Writers add what they read together, and much of it in the order in which they cite it: in most
drafts, of the papers that are cited for the first time one in five to two in five are among the
five uncited entries nearest to what the marker before cites. Whether this writer files so, the
draft's other markers tell.
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
"""Entries between a paper and the nearest that is cited at the marker before, at the one behind, at
the markers around, in the section, in this marker; NaN where nothing is. `file_habit` is how much
more often than by chance neighbouring markers of this draft cite neighbouring entries."""

AROUND = 3
"""Markers this far apart count as around."""
BESIDE = 3
"""Entries this far apart count as neighbouring."""


def file_features(context: Context, row_of: Mapping[str, int], size: int) -> dict[str, Column]:
    """Return the features of every row of a pool whose rows are the entries of files, in order.

    Columns of shape (size,).
    """
    cited = [
        (mention.order, sorted({row_of[key] for key in mention.keys if key in row_of}))
        for mention in sorted(context.mentions, key=lambda one: one.order)
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
    habit = _habit([rows for _, rows in cited], size)
    columns["file_habit"] = np.full(size, habit, dtype=np.float32)
    return columns


def filed_beside(context: Context, row_of: Mapping[str, int], row: int) -> int | None:
    """Return the row right above or below that the marker before or behind cites, None if none."""
    return next(
        (other for other in _cited_around(context, row_of, 1) if abs(other - row) == 1), None
    )


def _cited_around(context: Context, row_of: Mapping[str, int], markers: int = AROUND) -> set[int]:
    return {
        row_of[key]
        for mention in context.mentions
        if abs(mention.order - context.order) <= markers
        for key in mention.keys
        if key in row_of
    }


def _entries_to(rows: Sequence[int] | set[int], size: int) -> Column:
    """Return how many entries each row is from the nearest of `rows`, itself left out."""
    found = np.full(size, np.nan, dtype=np.float32)
    if not rows or not size:
        return found
    places = np.array(sorted(rows), dtype=np.float32)
    bounded = np.concatenate([[-np.inf], places, [np.inf]]).astype(np.float32)
    everyone = np.arange(size, dtype=np.float32)
    before = bounded[np.searchsorted(places, everyone, side="left")]
    behind = bounded[np.searchsorted(places, everyone, side="right") + 1]
    nearest = np.minimum(everyone - before, behind - everyone)
    return np.where(np.isfinite(nearest), nearest, found).astype(np.float32)


def _habit(cited: Sequence[Sequence[int]], size: int) -> float:
    """Return by how much neighbouring markers cite neighbouring entries more often than chance."""
    chance = min(1.0, 2 * BESIDE / max(size, 1))
    hits = pairs = 0
    for one, other in zip(cited, cited[1:], strict=False):
        for row in other:
            if row not in one:
                pairs += 1
                hits += min(abs(row - place) for place in one) <= BESIDE
    return (hits + chance) / (pairs + 1) - chance
