"""What the draft itself tells about its papers: where, how often and near what it cites them.

Two thirds of the citations of a finished draft cite a paper that the draft cites elsewhere too, so
the other markers are the best witnesses when a writer revises, and a growing help while the draft
is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.cached import CachedEncoder
from cite_lsp.encode.model import Cancel, Encoder, Vectors
from cite_lsp.manuscript.model import Context, Mention
from cite_lsp.manuscript.text.words import last_words
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.word_overlap import word_similarity
from cite_lsp.recommend.query.encoder_input import query_text_at, query_text_of_mention
from cite_lsp.recommend.query.query import Query, mention_sentence

ADJACENT = 2
"""Markers this far apart count as citing together."""


NEW_MENTIONS = 16
"""Markers that are encoded while a writer waits: those near one that is being edited. All others
are taken for unlike until `remember_mentions` has come to them."""
_SHARP = 0.05
"""Temperature of votes by cosines."""
_SOON, _LONG = 6.0, 40.0
"""Markers over which it fades that a paper was cited."""
LEAD = 4
"""Words right before a marker that often name what it cites ("solved with Gurobi [3]")."""


@lru_cache(maxsize=16384)
def _lead(left: str) -> str:
    return last_words(left, LEAD)


@frozen
class Habits:
    """One column per kind of evidence, each of shape (n,), n rows of the pool.

    alike: likeness of the sentence of the most similar other marker that cites the paper, 0 to 1.
    alike_rank: 1 / rank of that marker among all others by likeness.
    alike_sum: squared likeness summed over the markers that cite the paper.
    alike_meaning: the greatest cosine to the sentence of a marker that cites it; NaN where there is
        no encoder.
    placed_alike: the greatest cosine of where the query encoder puts this place and a marker that
        cites it; NaN where there is none.
    lead_alike: the greatest likeness of the words right before a marker that cites it, 0 to 1.
    times: how many other markers cite the paper.
    times_share: that number over the greatest of any paper.
    section_times: how many other markers of this section do.
    before: 1 / distance in markers to the nearest earlier marker that cites it; 0 if none.
    after: the same for later markers.
    recency: 1 / (1 + papers cited between that earlier marker and here); 0 if none.
    together: how often it stands within two markers of a paper that is cited near this place.
    companions: how often it stands within two markers of the keys already in this marker.
    placed_votes: the share of the markers' votes that go to it, where a marker at cosine c votes
        for all it cites with e^(c / `_SHARP`); of all markers 1 together.
    wide_alike: the greatest likeness of all words around a marker that cites it, 0 to 1.
    lately: e^(-distance / `_SOON`) summed over the markers that cite it.
    lately_wide: e^(-distance / `_LONG`) summed over them.
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
    witness: tuple[int, ...]
    """For each row the position in `context.mentions` of its most similar marker, or -1."""
    whole: bool = True
    """Whether all markers were compared by what they mean, and none was left for later."""


def remember_mentions(
    mentions: Iterable[Mention],
    title: str,
    encoder: Encoder,
    query_encoder: Encoder | None,
    *,
    cancelled: Cancel | None = None,
) -> None:
    """Encode what every place of a draft is compared with, before the first one asks.

    Raises:
        Cancelled: `cancelled` said so; what was encoded before is kept by encoders that cache.
    """
    mentions = list(mentions)
    encoder.encode(_sentences(mentions), cancelled=cancelled)
    if query_encoder is not None:
        query_encoder.encode(_askings(mentions, title), cancelled=cancelled)


def are_remembered(
    context: Context, encoder: Encoder | None, query_encoder: Encoder | None
) -> bool:
    """Whether what the markers of a draft mean is known by now, so that none need be left out."""
    return all(
        one.keeps(texts)
        for one, texts in (
            (encoder, _sentences(context.mentions)),
            (query_encoder, _askings(context.mentions, context.title)),
        )
        if isinstance(one, CachedEncoder)
    )


def _sentences(mentions: Iterable[Mention]) -> list[str]:
    return [mention_sentence(mention.left, mention.right) for mention in mentions]


def _askings(mentions: Iterable[Mention], title: str) -> list[str]:
    return [query_text_of_mention(mention, title) for mention in mentions]


def _at_hand(encoder: Encoder, texts: Sequence[str]) -> tuple[Vectors, bool]:
    """Encode texts; of an encoder that remembers, only some that `remember_mentions` has not.

    Returns their vectors, and whether that is all.
    """
    if isinstance(encoder, CachedEncoder):
        return encoder.at_hand(texts, NEW_MENTIONS)
    return encoder.encode(texts), True


@frozen
class _Alike:
    """How alike this place and each of the other markers are, columns of shape (m,).

    sentence, lead, wide: likeness of their sentences, of the words right before them and of all
        words around them, 0 to 1. meaning, placed: cosines of their sentences, and of where the
        query encoder puts them; 0 where there is no encoder.
    whole: whether that is all, and no marker was left out of the cosines.
    """

    sentence: Column
    lead: Column
    wide: Column
    meaning: Column
    placed: Column
    whole: bool


def read_habits(
    context: Context,
    query: Query,
    row_of: Mapping[str, int],
    size: int,
    encoder: Encoder | None,
    query_encoder: Encoder | None = None,
) -> Habits:
    """Gather the evidence for every row of a pool of `size` papers."""
    names = [name for name in Habits.__annotations__ if name not in ("witness", "whole")]
    columns = {name: np.zeros(size, dtype=np.float32) for name in names}
    if encoder is None:
        columns["alike_meaning"][:] = np.nan
    if query_encoder is None:
        columns["placed_alike"][:] = columns["placed_votes"][:] = np.nan
    cited = [[row_of[key] for key in mention.keys if key in row_of] for mention in context.mentions]
    alike = _compare(context, query, encoder, query_encoder)
    witness = _count_markers(context, cited, alike, columns)
    if size:
        columns["times_share"][:] = columns["times"] / max(float(columns["times"].max()), 1.0)
    if any(cited):
        _count_votes(context, cited, alike, columns)
    _count_recency(context, cited, columns["recency"])
    _count_company(context, cited, row_of, columns)
    _count_followers(context, cited, columns["follows"])
    return Habits(**columns, witness=witness, whole=alike.whole)


def _compare(
    context: Context, query: Query, encoder: Encoder | None, query_encoder: Encoder | None
) -> _Alike:
    """Compare this place with all other markers of the draft."""
    mentions = context.mentions
    sentences = _sentences(mentions)
    around = [f"{mention.left} {mention.right}" for mention in mentions]
    meaning = placed = np.zeros(len(mentions), dtype=np.float32)
    whole = whole_placed = True
    if encoder is not None and mentions:
        vectors, whole = _at_hand(encoder, sentences)
        meaning = vectors @ encoder.encode([query.sentence])[0]
    if query_encoder is not None and mentions:
        here = query_text_at(context.left, context.right, context.title)
        vectors, whole_placed = _at_hand(query_encoder, _askings(mentions, context.title))
        placed = vectors @ query_encoder.encode([here])[0]
    return _Alike(
        word_similarity(query.sentence, sentences),
        word_similarity(_lead(context.left), [_lead(mention.left) for mention in mentions]),
        word_similarity(f"{context.left} {context.right}", around),
        meaning,
        placed,
        whole and whole_placed,
    )


def markers_away(context: Context) -> NDArray[np.int64]:
    """Return how many markers on or back each mention stands, 1 for the next, shape (m,).

    A place without a marker has the order of the first one behind it.
    """
    away = np.array([mention.order - context.order for mention in context.mentions], dtype=np.int64)
    if not away.all():
        away[away >= 0] += 1
    return np.abs(away)


def _count_markers(
    context: Context, cited: list[list[int]], alike: _Alike, columns: dict[str, Column]
) -> tuple[int, ...]:
    """Count where each row is cited, near what and how often; return the witness of each."""
    witness = [-1] * len(columns["times"])
    rank = np.empty(len(cited), dtype=np.float32)
    rank[np.argsort(-alike.sentence, kind="stable")] = np.arange(1, len(cited) + 1)
    away = markers_away(context)
    for place, (mention, rows) in enumerate(zip(context.mentions, cited, strict=True)):
        closeness = 1.0 / away[place]
        side = "before" if mention.order < context.order else "after"
        greatest = {
            "alike_meaning": alike.meaning[place],
            "placed_alike": alike.placed[place],
            "lead_alike": alike.lead[place],
            side: closeness,
        }
        for row in rows:
            if alike.sentence[place] > columns["alike"][row]:
                columns["alike"][row] = alike.sentence[place]
                columns["alike_rank"][row] = 1.0 / rank[place]
                witness[row] = place
            columns["alike_sum"][row] += alike.sentence[place] ** 2
            columns["times"][row] += 1
            columns["section_times"][row] += mention.section == context.section
            for name, value in greatest.items():
                columns[name][row] = max(columns[name][row], value)
    return tuple(witness)


def _count_votes(
    context: Context, cited: list[list[int]], alike: _Alike, columns: dict[str, Column]
) -> None:
    """Sum over the markers that cite each row: how long ago it was, and the markers' votes."""
    citing = np.array([place for place, rows in enumerate(cited) for _ in rows])
    those = np.array([row for rows in cited for row in rows])
    away = markers_away(context)
    np.maximum.at(columns["wide_alike"], those, alike.wide[citing])
    np.add.at(columns["lately"], those, np.exp(-away / _SOON)[citing].astype(np.float32))
    np.add.at(columns["lately_wide"], those, np.exp(-away / _LONG)[citing].astype(np.float32))
    # Where there is no query encoder, what the votes would be added to is NaN, and remains so.
    votes = np.exp((alike.placed - alike.placed.max()) / _SHARP)
    np.add.at(columns["placed_votes"], those, (votes / votes.sum())[citing])


def _count_followers(context: Context, cited: list[list[int]], follows: Column) -> None:
    """Count what is cited right after markers like the one right before this place."""
    at = {mention.order: set(rows) for mention, rows in zip(context.mentions, cited, strict=True)}
    orders = sorted(at)
    before = max((order for order in orders if order < context.order), default=None)
    if before is None:
        return
    for one, next_one in pairwise(orders):
        if one != before and at[one] & at[before]:
            for row in at[next_one]:
                follows[row] += 1


def _count_recency(context: Context, cited: list[list[int]], recency: Column) -> None:
    """Count the papers cited since each was cited last, as a cache does that drops the oldest."""
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


def _count_company(
    context: Context, cited: list[list[int]], row_of: Mapping[str, int], columns: dict[str, Column]
) -> None:
    """Count how often each row stands close to what is cited close to this place."""
    mentions = context.mentions
    near = {
        row
        for mention, rows in zip(mentions, cited, strict=True)
        if abs(mention.order - context.order) <= ADJACENT
        for row in rows
    }
    here = {row_of[key] for key in context.marker_cited if key in row_of}
    places = sorted(range(len(mentions)), key=lambda place: mentions[place].order)
    for index, place in enumerate(places):
        around: set[int] = set()
        for other in places[max(0, index - ADJACENT) : index + ADJACENT + 1]:
            if abs(mentions[other].order - mentions[place].order) <= ADJACENT:
                around.update(cited[other])
        far = abs(mentions[place].order - context.order) > ADJACENT
        for row in set(cited[place]):
            if far:
                columns["together"][row] += len(around & near - {row})
            columns["companions"][row] += len(around & here - {row})
