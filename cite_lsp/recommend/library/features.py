"""The evidence for every paper of a pool, one column a feature: what the second stage learns from.

Text (phase 1), nearness to the papers cited in the section (phase 2, Tanaka et al.) and the habits
of the draft stand side by side; what they are worth is learned, not guessed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Encoder
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.columns import Column, greatest, top_rows, unknown_columns
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.dense_features import (
    DENSE_FEATURES,
    PLACED_FEATURES,
    dense_features,
)
from cite_lsp.recommend.library.draft_features import Habits, are_remembered, read_habits
from cite_lsp.recommend.library.file_features import FILE_FEATURES, file_features
from cite_lsp.recommend.library.word_features import WORD_FEATURES, title_features, word_features
from cite_lsp.recommend.query.latin_names import NAME_FEATURES, name_features
from cite_lsp.recommend.query.overused_words import overused_words
from cite_lsp.recommend.query.query import Query, read_query
from cite_lsp.search.vectors.index import Rows
from cite_lsp.storage.caches import ByObject


@frozen
class Evidence:
    """Everything known about one context and some papers of a pool.

    rows: the papers, as row numbers of the pool, shape (r,).
    matrix: shape (r, len(FEATURES)), float32; NaN where no encoder was at hand.
    habits: what the draft itself says, over all rows of the pool.
    closest: the few papers of the whole pool that are closest to the text, the closest first.
    """

    query: Query
    rows: Rows
    matrix: NDArray[np.float32]
    habits: Habits
    closest: tuple[int, ...] = ()

    def column(self, name: str) -> Column:
        """Return one feature of the papers, shape (r,)."""
        values: Column = self.matrix[:, FEATURE_INDEX[name]]
        return values


HABIT_FEATURES = (
    "alike",
    "alike_rank",
    "alike_sum",
    "alike_meaning",
    "placed_alike",
    "lead_alike",
    "times",
    "times_share",
    "section_times",
    "before",
    "after",
    "recency",
    "together",
    "companions",
    "placed_votes",
    "wide_alike",
    "lately",
    "lately_wide",
    "follows",
)
DRAFT_FEATURES = (
    "markers",
    "recited_share",
    "papers",
    "uncited_share",
    "section_papers",
    "best_alike",
    "chinese",
    "has_abstract",
)
FEATURES = (
    DENSE_FEATURES
    + PLACED_FEATURES
    + WORD_FEATURES
    + NAME_FEATURES
    + FILE_FEATURES
    + HABIT_FEATURES
    + DRAFT_FEATURES
)
FEATURE_INDEX = {name: index for index, name in enumerate(FEATURES)}


@frozen
class Survey:
    """The features that cost little per paper, over the whole pool: columns of shape (n,).

    `gathered` is the evidence that was completed last, for the next letter of the key. The pool is
    no part of it: surveys are kept for as long as their pool is in use.
    """

    context: Context
    query: Query
    columns: dict[str, Column]
    habits: Habits
    gathered: list[Evidence] = field(factory=list, eq=False, repr=False)


_SURVEYS_KEPT = 4
_surveys: ByObject[Pool, list[tuple[tuple[int, bool], Survey]]] = ByObject()


def survey(
    context: Context, pool: Pool, encoder: Encoder | None, query_encoder: Encoder | None = None
) -> Survey:
    """Compute what can be computed for every paper of a large pool within a keystroke.

    Without an encoder, or with a pool that has no vectors, the dense features are missing (NaN),
    and without a query encoder those that need one. What is typed as a key is not part of the
    context, so that the letters of one key share one survey. One that left markers out, because a
    writer could not wait, is made anew as soon as none need be.
    """
    if pool.title_vectors is None or encoder is None:
        encoder = query_encoder = None
    state = (id(pool.title_vectors) if encoder is not None else 0, query_encoder is not None)
    kept = _surveys.get(pool) or []
    for known, found in kept:
        if known == state and found.context == context:
            if found.habits.whole or not are_remembered(context, encoder, query_encoder):
                return found
            kept = [one for one in kept if one[1] is not found]
            break
    found = _survey(context, pool, encoder, query_encoder)
    _surveys.keep(pool, [(state, found), *kept][:_SURVEYS_KEPT])
    return found


def _survey(
    context: Context, pool: Pool, encoder: Encoder | None, query_encoder: Encoder | None
) -> Survey:
    query = read_query(context)
    columns: dict[str, Column] = {}
    if encoder is not None:
        columns |= dense_features(context, query, pool, encoder, query_encoder)
    else:
        columns |= unknown_columns((*DENSE_FEATURES, *PLACED_FEATURES), len(pool))
    columns |= word_features(query, pool, overused_words(context.mentions))
    habits = read_habits(context, query, pool.row_of, len(pool), encoder, query_encoder)
    columns |= {name: getattr(habits, name) for name in HABIT_FEATURES}
    columns |= file_features(context, pool.row_of, len(pool))
    columns |= _draft(context, pool, habits)
    return Survey(context, query, columns, habits)


def gather_evidence(found: Survey, pool: Pool, rows: Rows | None = None) -> Evidence:
    """Complete the features of the papers of the surveyed pool at `rows` (all by default)."""
    if rows is None:
        rows = np.arange(len(pool), dtype=np.int64)
    for known in found.gathered:
        order = np.argsort(known.rows)
        places = np.searchsorted(known.rows, rows, sorter=order)
        if len(known.rows) and (places < len(order)).all():
            places = order[places]
            if (known.rows[places] == rows).all():
                return Evidence(
                    found.query, rows, known.matrix[places], found.habits, known.closest
                )
    columns = {name: column[rows] for name, column in found.columns.items()}
    columns |= title_features(found.context, found.query, pool, rows)
    columns |= name_features(found.context.left, found.context.right, pool, rows)
    matrix = np.stack([columns[name] for name in FEATURES], axis=1)
    closest = tuple(top_rows(similarity(found.columns)))
    evidence = Evidence(found.query, rows, matrix, found.habits, closest)
    found.gathered[:] = [evidence]
    return evidence


def similarity(columns: Mapping[str, Column]) -> Column:
    """Return how close each paper is to what is cited in such a text, or else to the text."""
    placed = columns["placed_full"]
    plain = np.maximum(columns["sentence_title"], columns["wide_full"])
    return np.where(np.isnan(placed), plain, placed)


def _draft(context: Context, pool: Pool, habits: Habits) -> dict[str, Column]:
    size = len(pool)
    times = habits.times
    recited = float((times > 1).sum()) / max(float((times > 0).sum()), 1.0)
    values = {
        "markers": math.log1p(len(context.mentions)),
        "recited_share": recited,
        "papers": math.log1p(size),
        "uncited_share": float((times == 0).mean()) if size else 0.0,
        "section_papers": math.log1p(len(context.section_cited)),
        "best_alike": greatest(habits.alike),
        "chinese": float(context.language == "zh"),
    }
    columns = {name: np.full(size, value, dtype=np.float32) for name, value in values.items()}
    columns["has_abstract"] = pool.has_abstract
    return columns
