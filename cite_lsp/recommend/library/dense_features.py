"""Features from vectors: cosines of the papers of a pool and the windows of the context."""

from __future__ import annotations

import numpy as np

from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.columns import Column, greatest, unknown_columns
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.similarity import cached_similarity_to_cited
from cite_lsp.recommend.library.cited_rows import ADJACENT
from cite_lsp.recommend.query.encoder_input import chinese_sides, query_text_at
from cite_lsp.recommend.query.query import Query
from cite_lsp.translate.translator import shipped_translator

DENSE_FEATURES = (
    "sentence_title",
    "sentence_title_gap",
    "near_title",
    "wide_title",
    "wide_full",
    "near_title_gap",
    "wide_title_gap",
    "latin_title",
    "translated_title",
    "section_nearest",
    "section_mean",
    "neighbour_nearest",
    "companion_nearest",
)
PLACED_FEATURES = ("placed_title", "placed_full", "placed_gap")
"""Cosines of papers and the query vector."""
_FEW_VECTORS = 2
"""Vectors up to which it is faster to compare the papers with one at a time."""


def dense_features(
    context: Context, query: Query, pool: Pool, encoder: Encoder, query_encoder: Encoder | None
) -> dict[str, Column]:
    """Return `DENSE_FEATURES` and `PLACED_FEATURES` of an embedded pool, columns of shape (n,).

    Without a query encoder the placed ones are unknown (NaN).
    """
    assert pool.title_vectors is not None and pool.full_vectors is not None  # embedded together
    texts = [query.sentence, query.near, query.wide, query.latin, _word_by_word(context)]
    vectors = encoder.encode(texts)
    if query_encoder is not None:
        text = query_text_at(context.left, context.right, context.title)
        vectors = np.concatenate([vectors, query_encoder.encode([text])])
    sentence_title, near_title, wide_title, latin_title, translated_title, *placed_title = _cosines(
        pool.title_vectors, vectors
    )
    wide_full, *placed_full = _cosines(
        pool.full_vectors, vectors[[2, *range(len(texts), len(vectors))]]
    )
    section = pool.rows(context.section_cited)
    neighbours = pool.rows(
        [
            key
            for mention in context.mentions
            if abs(mention.order - context.order) <= ADJACENT
            for key in mention.keys
        ]
    )
    nearest, mean = cached_similarity_to_cited(pool, section)
    return {
        "sentence_title": sentence_title,
        "sentence_title_gap": sentence_title - greatest(sentence_title),
        "near_title": near_title,
        "wide_title": wide_title,
        "wide_full": wide_full,
        "near_title_gap": near_title - greatest(near_title),
        "wide_title_gap": wide_title - greatest(wide_title),
        "latin_title": latin_title,
        "translated_title": translated_title,
        "section_nearest": nearest,
        "section_mean": mean,
        "neighbour_nearest": cached_similarity_to_cited(pool, neighbours)[0],
        "companion_nearest": cached_similarity_to_cited(pool, pool.rows(context.marker_cited))[0],
        **(
            _placed(placed_title[0], placed_full[0])
            if placed_full
            else unknown_columns(PLACED_FEATURES, len(pool))
        ),
    }


def _cosines(papers: Vectors, vectors: Vectors) -> list[Column]:
    """Return the cosines of papers (n, d) to each vector (v, d), columns of shape (n,).

    The cosines of an empty text are 0. It takes one pass over the papers: in a large library,
    reading them is what takes time.
    """
    columns = [np.zeros(len(papers), dtype=np.float32)] * len(vectors)
    filled = np.flatnonzero(vectors.any(axis=1)).tolist()
    if len(filled) <= _FEW_VECTORS:
        cosines = [papers @ vectors[place] for place in filled]
    else:
        cosines = list((papers @ vectors[filled].T).T)
    for place, column in zip(filled, cosines, strict=True):
        columns[place] = np.ascontiguousarray(column)
    return columns


def _word_by_word(context: Context) -> str:
    """Return the text next to the marker in English, "" where it holds no Chinese."""
    sides = chinese_sides(context.left, context.right)
    return " ".join(shipped_translator().translate(sides)) if sides is not None else ""


def _placed(title: Column, full: Column) -> dict[str, Column]:
    return {"placed_title": title, "placed_full": full, "placed_gap": full - greatest(full)}
