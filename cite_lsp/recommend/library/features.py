"""The features of every paper of a library, from which the ranker of libraries was trained.

They are text (phase 1), similarity to the papers cited in the section (phase 2, Tanaka et al.) and
how the draft cites.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache, cached_property
from threading import Lock

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from cite_lsp.manuscript.model import Context
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column, greatest, top_rows, unknown_columns
from cite_lsp.recommend.base.encoders import NO_ENCODERS, Encoders
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.ranker import SECOND_THREAD, Ranker
from cite_lsp.recommend.library.cited_rows import cited_rows
from cite_lsp.recommend.library.draft_features import (
    HABIT_FEATURES,
    DraftFeatures,
    all_encoded,
    read_habits,
)
from cite_lsp.recommend.library.file_features import FILE_FEATURES, file_features
from cite_lsp.recommend.library.named_keys import LOGIT, named_by_key
from cite_lsp.recommend.library.text_features import (
    DENSE_FEATURES,
    PLACED_FEATURES,
    WORD_FEATURES,
    dense_features,
    overused_words,
    title_features,
    word_features,
)
from cite_lsp.recommend.query.latin_names import NAME_FEATURES, name_features
from cite_lsp.recommend.query.query import Query, read_query
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.storage.caches import ByObject


@frozen
class Evidence:
    """The features of some papers of a pool for one context.

    rows: the papers, as row numbers of the pool, shape (r,).
    matrix: shape (r, len(FEATURES)), float32; NaN where an encoder was missing.
    named: 1 for those that the text names by their keys, else 0, shape (r,).
    habits: how the draft cites, for all rows of the pool.
    closest: the rows of the few papers of the whole pool closest to the text, the closest first.
    part_of: the evidence of more papers that this is taken from, and where they stand in it.
    """

    query: Query
    rows: Rows
    matrix: NDArray[np.float32]
    named: Column
    habits: DraftFeatures
    closest: tuple[int, ...] = ()
    part_of: tuple[Evidence, NDArray[np.int64]] | None = field(default=None, repr=False)

    @cached_property
    def logits(self) -> NDArray[np.float32]:
        """What the ranker that ships gives the papers, and their keys, each by its own, (r,)."""
        if self.part_of is None:
            return library_ranker().logits(self.matrix) + np.float32(LOGIT) * self.named
        evidence, places = self.part_of
        return evidence.logits[places]

    def part(self, places: NDArray[np.int64]) -> Evidence:
        """Return the evidence of the papers at some places."""
        return evolve(
            self,
            rows=self.rows[places],
            matrix=self.matrix[places],
            named=self.named[places],
            part_of=(self, places),
        )

    def column(self, name: str) -> Column:
        """Return one feature of the papers, shape (r,)."""
        values: Column = self.matrix[:, FEATURE_INDEX[name]]
        return values


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


_OPENING = Lock()


def library_ranker() -> Ranker:
    """Return the ranker of libraries that ships, loaded once; others wait meanwhile.

    Raises:
        RankerError: it is missing or damaged.
    """
    with _OPENING:
        return _library_ranker()


def open_ranker_beside() -> None:
    """Begin to open the ranker of libraries in another thread, for who will need it soon."""
    SECOND_THREAD.submit(library_ranker)


@cache
def _library_ranker() -> Ranker:
    return Ranker(shipped_model("library-ranker"), FEATURES, recipe="library-ranker")


@frozen
class PoolFeatures:
    """The features that cost little per paper, for the whole pool: columns of shape (n,).

    `gathered` is the evidence that was completed last, for the next letter of the key. The pool is
    not part of it: they are cached as long as their pool is in use.
    """

    context: Context
    query: Query
    columns: dict[str, Column]
    habits: DraftFeatures
    gathered: list[Evidence] = field(factory=list, eq=False, repr=False)

    @cached_property
    def closest(self) -> tuple[int, ...]:
        """The rows of the few papers closest to the text, the closest first."""
        return tuple(top_rows(similarity(self.columns)))


_CACHED_CONTEXTS = 4
_cached: ByObject[Pool, list[tuple[tuple[int, bool], PoolFeatures]]] = ByObject()


def pool_features(context: Context, pool: Pool, encoders: Encoders = NO_ENCODERS) -> PoolFeatures:
    """Compute the features that are fast enough for every paper of a large pool, cached.

    Without an encoder of papers, or with a pool that has no vectors, the dense features are missing
    (NaN), and without one of queries those that need it. The typed part of a key is not part of the
    context, so that all letters of a key share them. Features that left markers out, because
    the writer could not wait, are computed again once all are encoded.
    """
    if pool.title_vectors is None or encoders.papers is None:
        encoders = NO_ENCODERS
    state = (pool.embeddings if encoders.papers is not None else -1, encoders.queries is not None)
    cached = _cached.get(pool) or []
    for known_state, pooled in cached:
        if known_state == state and pooled.context == context:
            if pooled.habits.complete or not all_encoded(context, encoders):
                return pooled
            cached = [item for item in cached if item[1] is not pooled]
            break
    pooled = _compute_pool_features(context, pool, encoders)
    _cached.keep(pool, [(state, pooled), *cached][:_CACHED_CONTEXTS])
    return pooled


def _compute_pool_features(context: Context, pool: Pool, encoders: Encoders) -> PoolFeatures:
    query = read_query(context)
    columns: dict[str, Column] = {}
    if encoders.papers is not None:
        columns |= dense_features(context, query, pool, encoders.papers, encoders.queries)
    else:
        columns |= unknown_columns((*DENSE_FEATURES, *PLACED_FEATURES), len(pool))
    columns |= word_features(query, pool, overused_words(context.mentions))
    cited, marker_rows = cited_rows(context.mentions, pool.row_of), pool.rows(context.marker_cited)
    habits = read_habits(context, query, cited, marker_rows, len(pool), encoders)
    columns |= {name: getattr(habits, name) for name in HABIT_FEATURES}
    columns |= file_features(context, cited.in_order, pool.row_of, len(pool))
    columns |= _draft_features(context, pool, habits)
    columns["named"] = named_by_key(context.left, pool)
    return PoolFeatures(context, query, columns, habits)


def gather_evidence(pooled: PoolFeatures, pool: Pool, rows: Rows | None = None) -> Evidence:
    """Complete the features of the papers of the pool at `rows` (all by default)."""
    if rows is None:
        rows = np.arange(len(pool), dtype=np.int64)
    for previous in pooled.gathered:
        order = np.argsort(previous.rows)
        places = np.searchsorted(previous.rows, rows, sorter=order)
        if len(previous.rows) and (places < len(order)).all():
            places = order[places]
            if (previous.rows[places] == rows).all():
                return previous.part(places)
    columns = {name: column[rows] for name, column in pooled.columns.items()}
    columns |= title_features(pooled.context, pooled.query, pool, rows)
    columns |= name_features(pooled.context.left, pooled.context.right, pool, rows)
    matrix = np.stack([columns[name] for name in FEATURES], axis=1)
    named = pooled.columns["named"][rows]
    evidence = Evidence(pooled.query, rows, matrix, named, pooled.habits, pooled.closest)
    pooled.gathered[:] = [evidence]
    return evidence


def similarity(columns: Mapping[str, Column]) -> Column:
    """Return the cosine of each paper and the query vector, or else the text, shape (n,)."""
    placed = columns["placed_full"]
    plain = np.maximum(columns["sentence_title"], columns["wide_full"])
    return np.where(np.isnan(placed), plain, placed)


def _draft_features(context: Context, pool: Pool, habits: DraftFeatures) -> dict[str, Column]:
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
