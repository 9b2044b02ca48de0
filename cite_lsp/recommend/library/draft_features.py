"""Features of how the draft itself cites its papers: where, how often and near what.

Two thirds of the citations of a finished draft cite a paper that the draft cites elsewhere too, so
the other markers are the best evidence when a writer revises, and a growing help while the draft is
written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.encoder import Cancel, Encoder, Vectors
from cite_lsp.manuscript.model import Context, Mention
from cite_lsp.manuscript.text.word_windows import last_words
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.word_overlap import word_similarity
from cite_lsp.recommend.query.encoder_input import query_text_at, query_text_of_mention
from cite_lsp.recommend.query.query import Query, mention_sentence
from cite_lsp.storage.memory import text_cache

ADJACENT = 2
"""Markers at most this far apart count as citing together."""


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
class Habits:
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


def encode_mentions(
    mentions: Iterable[Mention],
    title: str,
    encoder: Encoder,
    query_encoder: Encoder | None,
    *,
    cancelled: Cancel | None = None,
) -> None:
    """Encode the sentences and query texts of all markers of a draft, before the first ranking.

    Raises:
        Cancelled: `cancelled` returned true; encoders with a cache have what was encoded so far.
    """
    mentions = list(mentions)
    encoder.encode(_sentences(mentions), cancelled=cancelled)
    if query_encoder is not None:
        query_encoder.encode(_query_texts(mentions, title), cancelled=cancelled)


def all_encoded(context: Context, encoder: Encoder | None, query_encoder: Encoder | None) -> bool:
    """Whether all markers of a draft are in the encoders' caches, so that none need be left out."""
    return all(
        encoder_used.keeps(texts)
        for encoder_used, texts in (
            (encoder, _sentences(context.mentions)),
            (query_encoder, _query_texts(context.mentions, context.title)),
        )
        if isinstance(encoder_used, CachedEncoder)
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
    row_of: Mapping[str, int],
    size: int,
    encoder: Encoder | None,
    query_encoder: Encoder | None = None,
) -> Habits:
    """Return how the draft cites each paper of a pool of `size` papers."""
    names = [name for name in Habits.__annotations__ if name not in ("most_similar", "complete")]
    columns = {name: np.zeros(size, dtype=np.float32) for name in names}
    if encoder is None:
        columns["alike_meaning"][:] = np.nan
    if query_encoder is None:
        columns["placed_alike"][:] = columns["placed_votes"][:] = np.nan
    cited = [[row_of[key] for key in mention.keys if key in row_of] for mention in context.mentions]
    similarities = _compare(context, query, encoder, query_encoder)
    most_similar = _count_markers(context, cited, similarities, columns)
    if size:
        columns["times_share"][:] = columns["times"] / max(float(columns["times"].max()), 1.0)
    if any(cited):
        _count_votes(context, cited, similarities, columns)
    _count_recency(context, cited, columns["recency"])
    _count_neighbours(context, cited, row_of, columns)
    _count_followers(context, cited, columns["follows"])
    return Habits(**columns, most_similar=most_similar, complete=similarities.complete)


def _compare(
    context: Context, query: Query, encoder: Encoder | None, query_encoder: Encoder | None
) -> _Similarities:
    """Compare this place with all other markers of the draft."""
    mentions = context.mentions
    sentences = _sentences(mentions)
    around = [f"{mention.left} {mention.right}" for mention in mentions]
    meaning = placed = np.zeros(len(mentions), dtype=np.float32)
    complete = all_placed = True
    if encoder is not None and mentions:
        vectors, complete = _encode_some(encoder, sentences)
        meaning = vectors @ encoder.encode([query.sentence])[0]
    if query_encoder is not None and mentions:
        here = query_text_at(context.left, context.right, context.title)
        vectors, all_placed = _encode_some(query_encoder, _query_texts(mentions, context.title))
        placed = vectors @ query_encoder.encode([here])[0]
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
    cited: list[list[int]],
    similarities: _Similarities,
    columns: dict[str, Column],
) -> tuple[int, ...]:
    """Count how often and how near each row is cited; return the most similar mention of each."""
    rank = np.empty(len(cited), dtype=np.float32)
    rank[np.argsort(-similarities.sentence, kind="stable")] = np.arange(1, len(cited) + 1)
    citing = np.array([place for place, rows in enumerate(cited) for _ in rows], dtype=np.int64)
    rows_cited = np.array([row for rows in cited for row in rows], dtype=np.int64)
    sentence = similarities.sentence[citing]
    most_similar = np.full(len(columns["times"]), -1, dtype=np.int64)
    # The last of equals is written: of each paper its most similar marker, the first of several.
    order = np.lexsort((-citing, sentence))
    order = order[sentence[order] > 0]
    most_similar[rows_cited[order]] = citing[order]
    alike = np.flatnonzero(most_similar >= 0)
    columns["alike"][alike] = similarities.sentence[most_similar[alike]]
    columns["alike_rank"][alike] = 1.0 / rank[most_similar[alike]]
    np.add.at(columns["alike_sum"], rows_cited, sentence**2)
    np.add.at(columns["times"], rows_cited, 1)
    here = np.array([mention.section == context.section for mention in context.mentions], bool)
    np.add.at(columns["section_times"], rows_cited, here[citing])
    earlier = np.array([mention.order < context.order for mention in context.mentions], bool)
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
            np.maximum.at(columns[name], rows_cited, values[citing])
    return tuple(most_similar.tolist())


def _count_votes(
    context: Context,
    cited: list[list[int]],
    similarities: _Similarities,
    columns: dict[str, Column],
) -> None:
    """Sum the recency and the votes of the markers that cite each row."""
    citing = np.array([place for place, rows in enumerate(cited) for _ in rows])
    rows_cited = np.array([row for rows in cited for row in rows])
    away = markers_away(context)
    np.maximum.at(columns["wide_alike"], rows_cited, similarities.wide[citing])
    np.add.at(
        columns["lately"], rows_cited, np.exp(-away / _SHORT_DECAY)[citing].astype(np.float32)
    )
    np.add.at(
        columns["lately_wide"], rows_cited, np.exp(-away / _LONG_DECAY)[citing].astype(np.float32)
    )
    # Without a query encoder the column is NaN, and remains so.
    votes = np.exp((similarities.placed - similarities.placed.max()) / _SHARP)
    np.add.at(columns["placed_votes"], rows_cited, (votes / votes.sum())[citing])


def _count_followers(context: Context, cited: list[list[int]], follows: Column) -> None:
    """Count what is cited right after markers that share a paper with the one before this place."""
    at = {mention.order: set(rows) for mention, rows in zip(context.mentions, cited, strict=True)}
    orders = sorted(at)
    before = max((order for order in orders if order < context.order), default=None)
    if before is None:
        return
    for order, next_order in pairwise(orders):
        if order != before and at[order] & at[before]:
            for row in at[next_order]:
                follows[row] += 1


def _count_recency(context: Context, cited: list[list[int]], recency: Column) -> None:
    """Set 1 / (1 + papers cited since each was cited last), as in a least-recently-used cache."""
    earlier = [
        (mention.order, rows)
        for mention, rows in zip(context.mentions, cited, strict=True)
        if mention.order < context.order
    ]
    since = 0
    for _, rows in sorted(earlier, key=lambda item: -item[0]):
        fresh = [row for row in rows if not recency[row]]
        for row in fresh:
            recency[row] = 1.0 / (1 + since)
        since += len(fresh)


def _count_neighbours(
    context: Context, cited: list[list[int]], row_of: Mapping[str, int], columns: dict[str, Column]
) -> None:
    """Count how often each row is cited close to what is cited close to this place."""
    mentions = context.mentions
    near = {
        row
        for mention, rows in zip(mentions, cited, strict=True)
        if abs(mention.order - context.order) <= ADJACENT
        for row in rows
    }
    here = {row_of[key] for key in context.marker_cited if key in row_of}
    orders = [mention.order for mention in mentions]
    places = sorted(range(len(mentions)), key=orders.__getitem__)

    def close_to(rows: set[int]) -> set[int]:
        """Return where in the order places stand that are close to one that cites a row."""
        citing = (index for index, place in enumerate(places) if not rows.isdisjoint(cited[place]))
        indexes = {
            other for index in citing for other in range(index - ADJACENT, index + ADJACENT + 1)
        }
        return indexes.intersection(range(len(places)))

    close_to_near = close_to(near)
    for index in sorted(close_to_near | close_to(here)):  # few, as a rule, of all places
        place = places[index]
        far = index in close_to_near and abs(orders[place] - context.order) > ADJACENT
        around: set[int] = set()
        for other in places[max(0, index - ADJACENT) : index + ADJACENT + 1]:
            if abs(orders[other] - orders[place]) <= ADJACENT:
                around.update(cited[other])
        for row in set(cited[place]):
            if far:
                columns["together"][row] += len(around & near - {row})
            columns["companions"][row] += len(around & here - {row})
