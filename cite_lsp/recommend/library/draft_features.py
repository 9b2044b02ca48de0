"""Features of how the draft itself cites its papers: where, how often and near what.

Two thirds of the citations of a finished draft cite a paper that the draft cites elsewhere too, so
the other markers are the best evidence when a writer revises, and a growing help while the draft is
written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.manuscript.model import Context, Mention
from cite_lsp.manuscript.text.word_windows import last_words
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.word_overlap import word_similarity
from cite_lsp.recommend.library.cited_rows import ADJACENT, CitedRows, OrderedRows
from cite_lsp.recommend.query.encoder_input import query_text_at, query_text_of_mention
from cite_lsp.recommend.query.query import Query, mention_sentence
from cite_lsp.storage.memory import text_cache

NEW_MENTIONS = 16
"""Markers that are encoded while a writer waits: those near one that is being edited. All others
count as dissimilar until `encode_mentions` has encoded them."""
_SHARP = 0.05
"""Temperature of votes by cosines."""
_SHORT_DECAY, _LONG_DECAY = 6.0, 40.0
"""Distances in markers at which the recency of a citation has decayed to 1/e."""
LEAD = 4
"""Words right before a marker that often name the cited paper ("solved with Gurobi [3]")."""


@text_cache(16384)
def _lead(left: str) -> str:
    return last_words(left, LEAD)


@frozen
class DraftFeatures:
    """One column per kind of evidence, each of shape (n,), n rows of the pool.

    alike: word similarity to the sentence of the most similar other marker that cites the paper, 0
    to 1. alike_rank: 1 / rank of that marker among all others by similarity. alike_sum: squared
    similarity summed over the markers that cite the paper. alike_meaning: the greatest cosine to
    the sentence of a marker that cites it; NaN without an
        encoder.
    placed_alike: the greatest cosine between the query vector and that of a marker that cites it;
    NaN
        without a query encoder.
    lead_alike: the greatest word similarity of the words right before a marker that cites it, 0 to
    1. times: how many other markers cite the paper. times_share: that number over the greatest of
    any paper. section_times: how many other markers of this section do. before: 1 / distance in
    markers to the nearest earlier marker that cites it; 0 if none. after: the same for later
    markers. recency: 1 / (1 + papers cited between that earlier marker and here); 0 if none.
    together: how often it stands within two markers of a paper that is cited near this place.
    companions: how often it stands within two markers of the keys already in this marker.
    placed_votes: the share of the markers' votes that go to it, where a marker at cosine c votes
        for all it cites with e^(c / `_SHARP`); of all markers 1 together.
    wide_alike: the greatest word similarity of all words around a marker that cites it, 0 to 1.
    lately: e^(-distance / `_SHORT_DECAY`) summed over the markers that cite it.
    lately_wide: e^(-distance / `_LONG_DECAY`) summed over them.
    follows: how often it is cited at a marker right after one that shares a paper with the marker
        right before this place.
    """

    alike: Column
    alike_rank: Column
    alike_sum: Column
    alike_meaning: Column
    placed_alike: Column
    lead_alike: Column
    times: Column
    times_share: Column
    section_times: Column
    before: Column
    after: Column
    recency: Column
    together: Column
    companions: Column
    placed_votes: Column
    wide_alike: Column
    lately: Column
    lately_wide: Column
    follows: Column
    most_similar: tuple[int, ...]
    """For each row the position in `context.mentions` of its most similar marker, or -1."""
    complete: bool = True
    """Whether all markers were encoded and compared, and none was left for later."""


HABIT_FEATURES = tuple(
    name for name in DraftFeatures.__annotations__ if name not in ("most_similar", "complete")
)
"""The columns of `DraftFeatures`, in their order."""


def encode_mentions(
    mentions: Iterable[Mention],
    title: str,
    encoders: Encoders,
    *,
    cancelled: Cancel | None = None,
) -> None:
    """Encode the sentences and query texts of all markers of a draft, before the first ranking.

    Raises:
        Cancelled: `cancelled` returned true; encoders with a cache have what was encoded so far.
    """
    mentions = list(mentions)
    if encoders.papers is not None:
        encoders.papers.encode(_sentences(mentions), cancelled=cancelled)
    if encoders.queries is not None:
        encoders.queries.encode(_query_texts(mentions, title), cancelled=cancelled)


def all_encoded(context: Context, encoders: Encoders) -> bool:
    """Whether all markers of a draft are in the encoders' caches, so that none need be left out."""
    return all(
        encoder.keeps(texts)
        for encoder, texts in (
            (encoders.papers, _sentences(context.mentions)),
            (encoders.queries, _query_texts(context.mentions, context.title)),
        )
        if isinstance(encoder, CachedEncoder)
    )


def _sentences(mentions: Iterable[Mention]) -> list[str]:
    return [mention_sentence(mention.left, mention.right) for mention in mentions]


def _query_texts(mentions: Iterable[Mention], title: str) -> list[str]:
    return [query_text_of_mention(mention, title) for mention in mentions]


def _encode_some(encoder: Encoder, texts: Sequence[str]) -> tuple[Vectors, bool]:
    """Encode texts; with a caching encoder at most `NEW_MENTIONS` that are not in its cache.

    Returns their vectors, 0 for those left out, and whether none was left out.
    """
    if isinstance(encoder, CachedEncoder):
        return encoder.at_hand(texts, NEW_MENTIONS)
    return encoder.encode(texts), True


@frozen
class _Similarities:
    """Similarities of this place and each of the other m markers, columns of shape (m,).

    sentence, lead, wide: word similarity of their sentences, of the words right before them and of
        all words around them, 0 to 1. meaning, placed: cosines of their sentences by the encoder,
        and of their query vectors; 0 without an encoder.
    complete: whether no marker was left out of the cosines.
    """

    sentence: Column
    lead: Column
    wide: Column
    meaning: Column
    placed: Column
    complete: bool


def read_habits(
    context: Context,
    query: Query,
    cited: CitedRows,
    marker_rows: Sequence[int],
    size: int,
    encoders: Encoders,
) -> DraftFeatures:
    """Return how the draft cites each paper of a pool of `size` papers.

    Args:
        context: the place.
        query: the context as a query.
        cited: what the mentions of the context cite of the pool.
        marker_rows: what the marker itself cites of it.
        size: papers of the pool.
        encoders: those of sentences and queries.
    """
    columns = {name: np.zeros(size, dtype=np.float32) for name in HABIT_FEATURES}
    if encoders.papers is None:
        columns["alike_meaning"][:] = np.nan
    if encoders.queries is None:
        columns["placed_alike"][:] = columns["placed_votes"][:] = np.nan
    similarities = _compare(context, query, encoders)
    most_similar = _count_markers(context, cited, similarities, columns)
    if size:
        columns["times_share"][:] = columns["times"] / max(float(columns["times"].max()), 1.0)
    if len(cited.rows):
        _count_votes(context, cited, similarities, columns)
    _count_recency(context.order, cited.in_order, columns["recency"])
    _count_neighbours(context.order, cited.in_order, marker_rows, columns)
    _count_followers(context.order, cited.in_order, columns["follows"])
    return DraftFeatures(**columns, most_similar=most_similar, complete=similarities.complete)


def _compare(context: Context, query: Query, encoders: Encoders) -> _Similarities:
    """Compare this place with all other markers of the draft."""
    mentions = context.mentions
    sentences = _sentences(mentions)
    around = [f"{mention.left} {mention.right}" for mention in mentions]
    meaning = placed = np.zeros(len(mentions), dtype=np.float32)
    complete = all_placed = True
    if encoders.papers is not None and mentions:
        vectors, complete = _encode_some(encoders.papers, sentences)
        meaning = vectors @ encoders.papers.encode([query.sentence])[0]
    if encoders.queries is not None and mentions:
        here = query_text_at(context.left, context.right, context.title)
        texts = _query_texts(mentions, context.title)
        vectors, all_placed = _encode_some(encoders.queries, texts)
        placed = vectors @ encoders.queries.encode([here])[0]
    return _Similarities(
        word_similarity(query.sentence, sentences),
        word_similarity(_lead(context.left), [_lead(mention.left) for mention in mentions]),
        word_similarity(f"{context.left} {context.right}", around),
        meaning,
        placed,
        complete and all_placed,
    )


def markers_away(context: Context) -> NDArray[np.int64]:
    """Return the distance of each mention in markers, forwards or backwards, from 1, shape (m,).

    A place without a marker has the order of the first marker behind it.
    """
    away = np.array([mention.order - context.order for mention in context.mentions], dtype=np.int64)
    if not away.all():
        away[away >= 0] += 1
    return np.abs(away)


def _count_markers(
    context: Context,
    cited: CitedRows,
    similarities: _Similarities,
    columns: dict[str, Column],
) -> tuple[int, ...]:
    """Count how often and how near each row is cited; return the most similar mention of each."""
    citing, rows = cited.markers, cited.rows
    rank = np.empty(len(cited.orders), dtype=np.float32)
    rank[np.argsort(-similarities.sentence, kind="stable")] = np.arange(1, len(rank) + 1)
    sentence = similarities.sentence[citing]
    most_similar = np.full(len(columns["times"]), -1, dtype=np.int64)
    # The last of equals is written: of each paper its most similar marker, the first of several.
    order = np.lexsort((-citing, sentence))
    order = order[sentence[order] > 0]
    most_similar[rows[order]] = citing[order]
    alike = np.flatnonzero(most_similar >= 0)
    columns["alike"][alike] = similarities.sentence[most_similar[alike]]
    columns["alike_rank"][alike] = 1.0 / rank[most_similar[alike]]
    np.add.at(columns["alike_sum"], rows, sentence**2)
    np.add.at(columns["times"], rows, 1)
    here = np.array([mention.section == context.section for mention in context.mentions], bool)
    np.add.at(columns["section_times"], rows, here[citing])
    earlier = cited.orders < context.order
    closeness = (1.0 / markers_away(context)).astype(np.float32)
    greatest = {
        "alike_meaning": similarities.meaning,
        "placed_alike": similarities.placed,
        "lead_alike": similarities.lead,
        "before": np.where(earlier, closeness, 0),
        "after": np.where(earlier, 0, closeness),
    }
    with np.errstate(invalid="ignore"):  # without an encoder a column is NaN, and remains so
        for name, values in greatest.items():
            np.maximum.at(columns[name], rows, values[citing])
    return tuple(most_similar.tolist())


def _count_votes(
    context: Context,
    cited: CitedRows,
    similarities: _Similarities,
    columns: dict[str, Column],
) -> None:
    """Sum the recency and the votes of the markers that cite each row."""
    citing, rows = cited.markers, cited.rows
    away = markers_away(context)
    np.maximum.at(columns["wide_alike"], rows, similarities.wide[citing])
    np.add.at(columns["lately"], rows, np.exp(-away / _SHORT_DECAY)[citing].astype(np.float32))
    np.add.at(columns["lately_wide"], rows, np.exp(-away / _LONG_DECAY)[citing].astype(np.float32))
    # Without a query encoder the column is NaN, and remains so.
    votes = np.exp((similarities.placed - similarities.placed.max()) / _SHARP)
    np.add.at(columns["placed_votes"], rows, (votes / votes.sum())[citing])


def _count_followers(order: int, cited: OrderedRows, follows: Column) -> None:
    """Count what is cited right after markers that share a paper with the one before this place."""
    before = int(np.searchsorted(cited.orders, order)) - 1
    shared = cited.rows[cited.markers == before]
    sharing = np.unique(cited.markers[np.isin(cited.rows, shared)])
    next_markers = sharing[sharing != before] + 1
    np.add.at(follows, cited.rows[np.isin(cited.markers, next_markers)], 1)


def _count_recency(order: int, cited: OrderedRows, recency: Column) -> None:
    """Set 1 / (1 + papers cited since each was cited last), as in a least-recently-used cache."""
    last = np.full(len(recency), -1, dtype=np.int64)
    earlier = cited.order_of < order
    np.maximum.at(last, cited.rows[earlier], cited.markers[earlier])
    rows = np.flatnonzero(last >= 0)
    since = len(rows) - np.searchsorted(np.sort(last[rows]), last[rows], side="right")
    recency[rows] = 1.0 / (1 + since)


def _count_neighbours(
    order: int, cited: OrderedRows, marker_rows: Sequence[int], columns: dict[str, Column]
) -> None:
    """Count how often each row is cited close to what is cited close to this place."""
    together = cited.count_beside(cited.around(order, ADJACENT))
    far = np.abs(cited.order_of - order) > ADJACENT
    np.add.at(columns["together"], cited.rows[far], together[far])
    companions = cited.count_beside(np.unique(np.array(marker_rows, dtype=np.int64)))
    np.add.at(columns["companions"], cited.rows, companions)
