"""The evidence for every paper of a pool, one column a feature: what the second stage learns from.

Text (phase 1), nearness to the papers cited in the section (phase 2, Tanaka et al.) and the habits
of the draft stand side by side; what they are worth is learned, not guessed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Encoder, Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import fold
from cite_lsp.recommend.asking import asking_of_place, chinese_sides
from cite_lsp.recommend.file_order import FILE_FEATURES, file_features
from cite_lsp.recommend.habits import ADJACENT, Habits, are_remembered, read_habits
from cite_lsp.recommend.named import NAMED_FEATURES, named_features
from cite_lsp.recommend.pool import Pool
from cite_lsp.recommend.query import Query, read_query
from cite_lsp.recommend.worn import less_worn, worn_words
from cite_lsp.search.asked_words import said_words, short_forms
from cite_lsp.translate.translator import shipped_translator

Column = NDArray[np.float32]
Rows = NDArray[np.int64]

_MISSING = np.float32(np.nan)
AUTHORS_READ = 12
"""Authors of a paper that are looked for in the text; the rest of a collaboration is noise."""


@frozen
class Evidence:
    """Everything known about one context and some papers of a pool.

    rows: the papers, as row numbers of the pool, shape (r,).
    matrix: shape (r, len(FEATURES)), float32; NaN where no encoder was at hand.
    habits: what the draft itself says, over all rows of the pool.
    """

    query: Query
    rows: Rows
    matrix: NDArray[np.float32]
    habits: Habits

    def column(self, name: str) -> Column:
        """Return one feature of the papers, shape (r,)."""
        values: Column = self.matrix[:, FEATURE_INDEX[name]]
        return values


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
"""Cosines of papers to where the query encoder places the context."""
WORD_FEATURES = (
    "sentence_words",
    "sentence_words_share",
    "title_cover_sentence",
    "sentence_author_named",
    "near_words",
    "near_words_share",
    "near_title_words",
    "close_words",
    "close_words_share",
    "close_title_words",
    "wide_words",
    "wide_words_share",
    "topic_title_words",
    "title_cover_near",
    "title_cover_names",
    "first_author_named",
    "author_named",
    "section_authors",
)
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
    + NAMED_FEATURES
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
_ONE_BY_ONE = 2
"""Vectors up to which papers are faster compared with one at a time."""
_surveys: WeakKeyDictionary[Pool, list[tuple[tuple[int, bool], Survey]]] = WeakKeyDictionary()


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
    kept = _surveys.get(pool, [])
    for known, found in kept:
        if known == state and found.context == context:
            if found.habits.whole or not are_remembered(context, encoder, query_encoder):
                return found
            kept = [one for one in kept if one[1] is not found]
            break
    found = _survey(context, pool, encoder, query_encoder)
    _surveys[pool] = [(state, found), *kept][:_SURVEYS_KEPT]
    return found


def _survey(
    context: Context, pool: Pool, encoder: Encoder | None, query_encoder: Encoder | None
) -> Survey:
    query = read_query(context)
    columns: dict[str, Column] = {}
    if encoder is not None:
        columns |= _dense(context, query, pool, encoder, query_encoder)
    else:
        columns |= _unknown((*DENSE_FEATURES, *PLACED_FEATURES), pool)
    columns |= _words(query, pool, worn_words(context.mentions))
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
                return Evidence(found.query, rows, known.matrix[places], found.habits)
    columns = {name: column[rows] for name, column in found.columns.items()}
    columns |= _names(found.context, found.query, pool, rows)
    columns |= named_features(found.context.left, found.context.right, pool, rows)
    matrix = np.stack([columns[name] for name in FEATURES], axis=1)
    evidence = Evidence(found.query, rows, matrix, found.habits)
    found.gathered[:] = [evidence]
    return evidence


def _dense(
    context: Context, query: Query, pool: Pool, encoder: Encoder, query_encoder: Encoder | None
) -> dict[str, Column]:
    assert pool.title_vectors is not None and pool.full_vectors is not None  # embedded together
    asked = [query.sentence, query.near, query.wide, query.latin, _word_by_word(context)]
    vectors = encoder.encode(asked)
    if query_encoder is not None:
        asking = asking_of_place(context.left, context.right, context.title)
        vectors = np.concatenate([vectors, query_encoder.encode([asking])])
    sentence_title, near_title, wide_title, latin_title, translated_title, *placed_title = _cosines(
        pool.title_vectors, vectors
    )
    wide_full, *placed_full = _cosines(
        pool.full_vectors, vectors[[2, *range(len(asked), len(vectors))]]
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
    nearest, mean = _nearness(pool, section)
    return {
        "sentence_title": sentence_title,
        "sentence_title_gap": sentence_title - _highest(sentence_title),
        "near_title": near_title,
        "wide_title": wide_title,
        "wide_full": wide_full,
        "near_title_gap": near_title - _highest(near_title),
        "wide_title_gap": wide_title - _highest(wide_title),
        "latin_title": latin_title,
        "translated_title": translated_title,
        "section_nearest": nearest,
        "section_mean": mean,
        "neighbour_nearest": _nearness(pool, neighbours)[0],
        "companion_nearest": _nearness(pool, pool.rows(context.marker_cited))[0],
        **(
            _placed(placed_title[0], placed_full[0])
            if placed_full
            else _unknown(PLACED_FEATURES, pool)
        ),
    }


def _cosines(papers: Vectors, vectors: Vectors) -> list[Column]:
    """Return the cosines of papers (n, d) to each vector (v, d), columns of shape (n,).

    Nothing is near to an empty text. One pass over the papers: of a large library, reading them is
    what costs.
    """
    columns = [np.zeros(len(papers), dtype=np.float32)] * len(vectors)
    said = np.flatnonzero(vectors.any(axis=1)).tolist()
    if len(said) <= _ONE_BY_ONE:
        found = [papers @ vectors[place] for place in said]
    else:
        found = list((papers @ vectors[said].T).T)
    for place, column in zip(said, found, strict=True):
        columns[place] = np.ascontiguousarray(column)
    return columns


def _word_by_word(context: Context) -> str:
    """Return the text next to the marker in English, "" where it holds no Chinese."""
    sides = chinese_sides(context.left, context.right)
    return " ".join(shipped_translator().translate(sides)) if sides is not None else ""


def _placed(title: Column, full: Column) -> dict[str, Column]:
    return {"placed_title": title, "placed_full": full, "placed_gap": full - _highest(full)}


def _unknown(names: Sequence[str], pool: Pool) -> dict[str, Column]:
    return dict.fromkeys(names, np.full(len(pool), _MISSING, dtype=np.float32))


_NEARNESSES_KEPT = 16
_nearnesses: WeakKeyDictionary[Pool, dict[tuple[int, ...], tuple[Column, Column]]] = (
    WeakKeyDictionary()
)


def _nearness(pool: Pool, cited: Sequence[int]) -> tuple[Column, Column]:
    """Return `nearness` in a pool, remembered: a section cites the same in all its sentences."""
    assert pool.full_vectors is not None  # embedded before
    kept = _nearnesses.setdefault(pool, {})
    name = (id(pool.full_vectors), *sorted(set(cited)))
    found = kept.get(name)
    if found is None:
        found = kept[name] = nearness(pool.full_vectors, cited)
        for stale in list(kept)[:-_NEARNESSES_KEPT]:
            kept.pop(stale, None)
    return found


def nearness(vectors: Vectors, cited: Sequence[int]) -> tuple[Column, Column]:
    """Return each paper's greatest and mean cosine to the cited rows, itself left out (phase 2).

    Both of shape (n,), 0 where nothing else is cited. Source: Tanaka et al., section 3.2; a paper
    is never compared with itself, because writers cite again.
    """
    size = len(vectors)
    rows = sorted(set(cited))
    if not rows:
        return np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)
    cosines = vectors @ vectors[rows].T
    others = np.full(size, len(rows), dtype=np.float32)
    total = cosines.sum(axis=1)
    for column, row in enumerate(rows):
        total[row] -= cosines[row, column]
        others[row] -= 1
        cosines[row, column] = -np.inf
    greatest = np.where(others > 0, cosines.max(axis=1), 0.0).astype(np.float32)
    return greatest, (total / np.maximum(others, 1)).astype(np.float32)


def _words(query: Query, pool: Pool, worn: Mapping[str, float]) -> dict[str, Column]:
    short = short_forms(query.near)
    near_words, close_words, sentence_words = (
        less_worn({**words, **short}, worn)
        for words in (query.near_words, query.close_words, query.sentence_words)
    )
    sentence = pool.words.scores(sentence_words)
    near = pool.words.scores(near_words)
    close = pool.words.scores(close_words)
    wide = pool.words.scores(less_worn(query.wide_words, worn))
    return {
        "sentence_words": sentence,
        "sentence_words_share": sentence / max(_highest(sentence), 1e-6),
        "near_words": near,
        "near_words_share": near / max(_highest(near), 1e-6),
        "near_title_words": pool.title_words.scores(near_words),
        "close_words": close,
        "close_words_share": close / max(_highest(close), 1e-6),
        "close_title_words": pool.title_words.scores(close_words),
        "wide_words": wide,
        "wide_words_share": wide / max(_highest(wide), 1e-6),
        "topic_title_words": pool.title_words.scores(query.topic_words),
    }


def _names(context: Context, query: Query, pool: Pool, rows: Rows) -> dict[str, Column]:
    """Compare words and surnames one by one: the features that cost a loop over the rows."""
    titles = [pool.title_tokens[row] for row in rows]
    named = f" {fold(query.names)} "
    said = f" {fold(query.sentence)} "
    in_sentence = np.zeros(len(rows), dtype=np.float32)
    first = np.zeros(len(rows), dtype=np.float32)
    anyone = np.zeros(len(rows), dtype=np.float32)
    shared = np.zeros(len(rows), dtype=np.float32)
    cited_authors = {
        name for row in pool.rows(context.section_cited) for name in pool.surnames[row]
    }
    for position, row in enumerate(rows):
        surnames = pool.surnames[row]
        for place, name in enumerate(surnames[:AUTHORS_READ]):
            if name in said and _stands_alone(name, said):
                in_sentence[position] = 1.0
            if name in named and _stands_alone(name, named):
                anyone[position] = 1.0
                first[position] = max(first[position], float(place == 0))
        shared[position] = sum(name in cited_authors for name in surnames)
    return {
        "title_cover_sentence": _cover(titles, query.sentence_said),
        "sentence_author_named": in_sentence,
        "title_cover_near": _cover(titles, said_words(query.near)),
        "title_cover_names": _cover(titles, said_words(query.names)),
        "first_author_named": first,
        "author_named": anyone,
        "section_authors": shared,
    }


def _stands_alone(name: str, text: str) -> bool:
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not name.isascii() or not (_is_latin(before) or _is_latin(after)):
            return True
        start = text.find(name, start + 1)
    return False


def _is_latin(character: str) -> bool:
    """Whether a name goes on here; beside a Han character it ends."""
    return character.isascii() and character.isalpha()


def _cover(titles: Sequence[frozenset[str]], tokens: frozenset[str]) -> Column:
    """Return the share of each title's words that occur among the tokens, shape (r,)."""
    return np.array(
        [len(title & tokens) / len(title) if title else 0.0 for title in titles], dtype=np.float32
    )


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
        "best_alike": _highest(habits.alike),
        "chinese": float(context.language == "zh"),
    }
    columns = {name: np.full(size, value, dtype=np.float32) for name, value in values.items()}
    columns["has_abstract"] = pool.has_abstract
    return columns


def _highest(values: Column) -> float:
    return float(values.max()) if len(values) else 0.0
