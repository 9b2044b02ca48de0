"""The features of papers of a corpus, from which the ranker of corpora was trained.

They are the text of the papers, their similarity to what the section cites (phase 2, Tanaka et
al.), and how others cited them (`precedents.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Vectors
from cite_lsp.paper import fold
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.evidence.precedents import PrecedentEvidence, damped
from cite_lsp.recommend.query.everyday_names import may_be_surname
from cite_lsp.recommend.query.latin_names import read_latin_names
from cite_lsp.recommend.query.marker_distances import (
    DISTANCE_FEATURES,
    distances,
    distances_of,
    initials_of,
    spelled_distances,
    spelled_letters,
)
from cite_lsp.recommend.query.query import Query
from cite_lsp.search.corpus.paper_columns import PaperColumns
from cite_lsp.search.vectors.index import Rows
from cite_lsp.search.words.hashes import Hashes, word_hashes
from cite_lsp.search.words.tokens import tokenise

WORD_FEATURES = (
    "near_words",
    "near_words_gap",
    "wide_words",
    "wide_words_gap",
    "fading_words",
    "fading_words_gap",
    "close_words",
    "close_words_gap",
    "sentence_words",
    "topic_words",
    "title_cover_sentence",
    "title_cover_near",
    "title_cover_wide",
    "title_length",
    "handle_near",
    "handle_wide",
    "author_named",
    "title_close",
    "capitals",
    "capitals_cover",
    "acronym",
    *DISTANCE_FEATURES,
)
"""BM25 of windows (`fading_words`, `close_words`: with more weight next to the marker), and title
words and names in the near window."""
DENSE_FEATURES = ("draft_title", "placed", "placed_gap")
SECTION_FEATURES = (
    "section_nearest",
    "section_mean",
    "section_papers",
    "in_section",
    "section_authors",
    "section_venue",
)
PRECEDENT_FEATURES = (
    "profile",
    "profile_gap",
    "both",
    "both_gap",
    "alike",
    "alike_gap",
    "alike_sum",
    "alike_words",
    "alike_words_sum",
    "contexts",
    "citations",
    "together",
    "together_nearest",
    "together_damped",
    "subject",
    "subject_nearest",
)
PAPER_FEATURES = ("year", "age", "has_abstract")
CORPUS_FEATURES = (
    WORD_FEATURES + DENSE_FEATURES + SECTION_FEATURES + PRECEDENT_FEATURES + PAPER_FEATURES
)
FEATURE_PLACE = {name: place for place, name in enumerate(CORPUS_FEATURES)}
_FROM_EVIDENCE = (
    *("profile", "alike", "alike_sum", "alike_words", "alike_words_sum"),
    *("contexts", "together", "together_nearest", "subject", "subject_nearest"),
)
WITH_GAP = ("near_words", "wide_words", "fading_words", "close_words", "placed", "both")
_GAP_TOP = 5
"""A gap is the distance to the mean of this many greatest values of the candidates."""
_THIS_YEAR_UNKNOWN = 0
_DECAY = 40.0
"""Characters from the marker at which the weight of a title word has decayed to 1/e."""
_WEIGHT_BEHIND = 0.6
"""The weight of a word behind the marker: most cited papers are named before it."""
_CAPITALS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9+-]*[A-Z][A-Za-z0-9+-]*")
_AROUND_WORDS = ".,;:!?()[]{}'\"\u2018\u2019\u201c\u201d"


@frozen
class Scores:
    """The scores of candidates in phase 1, columns of shape (r,): BM25 scores and cosines.

    placed: cosine of the query vector and the paper, both: of the query vector and the paper joined
    with the mean vector of the contexts that cite it.
    """

    near_words: Column
    wide_words: Column
    fading_words: Column
    close_words: Column
    sentence_words: Column
    topic_words: Column
    draft_title: Column
    placed: Column
    both: Column


@frozen
class Candidates:
    """Papers of a corpus: rows (r,), unit vectors (r, d), years, whether they have an abstract."""

    rows: Rows
    vectors: Vectors
    years: NDArray[np.int32]
    has_abstract: NDArray[np.bool_]


def corpus_features(
    query: Query,
    year: int | None,
    candidates: Candidates,
    scores: Scores,
    section: Rows,
    section_vectors: Vectors,
    columns: PaperColumns,
    evidence: PrecedentEvidence | None,
    places: Rows,
    titles: Callable[[Rows], Sequence[str]],
) -> NDArray[np.float32]:
    """Return the features of candidates, shape (r, len(CORPUS_FEATURES)).

    What is not known is NaN. `section` are the distinct rows that the section cites already,
    `section_vectors` theirs; `places` says where each candidate stands among the papers of the
    witness, -1 for nowhere; `titles` reads those of rows, which only a context with acronyms asks
    for.
    """
    matrix = np.full((len(candidates.rows), len(CORPUS_FEATURES)), np.nan, dtype=np.float32)

    def put(name: str, values: NDArray[np.generic] | float) -> None:
        matrix[:, FEATURE_PLACE[name]] = values

    for name in WITH_GAP:
        values = getattr(scores, name)
        put(name, values)
        put(f"{name}_gap", values - best_values(values))
    for name in ("sentence_words", "topic_words", "draft_title"):
        put(name, getattr(scores, name))
    known = candidates.years > _THIS_YEAR_UNKNOWN
    put("year", np.where(known, candidates.years, np.nan))
    put("age", np.where(known & bool(year), (year or 0) - candidates.years, np.nan))
    put("has_abstract", candidates.has_abstract)
    if evidence is not None:
        for name, values in _precedents(evidence, places).items():
            put(name, values)
    for columns_by_name in (
        _titles(query, candidates.rows, columns),
        _beside_marker(query, candidates.rows, columns, titles),
        section_features(candidates, section, section_vectors, columns),
    ):
        for name, values in columns_by_name.items():
            put(name, values)
    return matrix


def best_values(values: Column) -> float:
    """Return the mean of the greatest values, from which gaps are measured."""
    if not len(values):
        return 0.0
    count = min(_GAP_TOP, len(values))
    return float(np.partition(values, -count)[-count:].mean())


def _titles(query: Query, rows: Rows, columns: PaperColumns) -> dict[str, Column]:
    """Return how much of each paper's title, method's name and authors the text has."""
    titles, weights = columns.titles(rows)
    whole = np.maximum(titles.sums(weights), 1e-6)
    features: dict[str, Column] = {"title_length": np.diff(titles.starts).astype(np.float32)}
    for name in ("sentence", "near", "wide"):
        wanted = word_hashes(tokenise(getattr(query, name)))
        covered = titles.sums(weights * among(titles.values, wanted))
        features[f"title_cover_{name}"] = np.asarray(covered / whole, dtype=np.float32)
    handles = columns.handles[rows]
    for name in ("near", "wide"):
        covered = among(handles, _handles(getattr(query, name)))
        features[f"handle_{name}"] = np.where(handles == 0, np.nan, covered).astype(np.float32)
    authors = columns.authors(rows)
    named = among(authors.values, _surnames(query.wide))
    features["author_named"] = authors.sums(named)
    return features


def _beside_marker(
    query: Query, rows: Rows, columns: PaperColumns, titles: Callable[[Rows], Sequence[str]]
) -> dict[str, Column | float]:
    """Return how near to the marker the names of each paper stand, and how many names there are."""
    left, right = query.near_sides
    before, behind = read_latin_names(left, len(left)), read_latin_names(right, 0)
    words, weights = columns.titles(rows)
    whole = np.maximum(words.sums(weights), 1e-6)
    closeness = np.maximum(
        np.exp(-distances_of(words.values, before.words) / _DECAY),
        _WEIGHT_BEHIND * np.exp(-distances_of(words.values, behind.words) / _DECAY),
    )
    capitals = [token for word in _CAPITALS.findall(f"{left} {right}") for token in tokenise(word)]
    covered = among(words.values, word_hashes(capitals)) if capitals else np.float32(math.nan)
    acronyms = {*before.acronyms, *behind.acronyms}
    firsts = initials_of(titles(rows)) if acronyms else ()
    return {
        "title_close": np.asarray(words.sums(weights * closeness) / whole, dtype=np.float32),
        "capitals": float(len(capitals)),
        "capitals_cover": words.sums(weights * covered),
        "acronym": spelled_letters(acronyms, firsts),
        **distances(
            before,
            behind,
            rows,
            columns,
            spelled_distances(before.acronyms, firsts, len(rows)),
        ),
    }


def section_features(
    candidates: Candidates, section: Rows, vectors: Vectors, columns: PaperColumns
) -> dict[str, Column]:
    """Return the similarity of papers to what the section cites (phase 2), and what they share."""
    size = len(candidates.rows)
    features: dict[str, Column] = {
        "section_papers": np.full(size, len(section), dtype=np.float32),
        "in_section": np.isin(candidates.rows, section).astype(np.float32),
    }
    if not len(section):
        return features
    cosines = candidates.vectors @ vectors.T
    itself = candidates.rows[:, None] == section[None, :]
    others = (~itself).sum(axis=1)
    total = np.where(itself, 0.0, cosines).sum(axis=1)
    greatest = np.where(itself, -1.0, cosines).max(axis=1)
    features["section_nearest"] = np.asarray(np.where(others > 0, greatest, np.nan), np.float32)
    features["section_mean"] = np.asarray(total / np.maximum(others, 1), dtype=np.float32)
    authors, venues = columns.authors(candidates.rows), columns.venues[candidates.rows]
    shared = authors.sums(among(authors.values, np.unique(columns.authors(section).values)))
    same_venue = among(venues, _without_none(columns.venues[section]))
    for place in np.flatnonzero(itself.any(axis=1)):
        rest = section[~itself[place]]  # a cited paper is not compared with itself
        own = np.unique(columns.authors(candidates.rows[place : place + 1]).values)
        shared[place] = among(own, np.unique(columns.authors(rest).values)).sum()
        same_venue[place] = float(venues[place] in _without_none(columns.venues[rest]))
    features["section_authors"], features["section_venue"] = shared, same_venue
    return features


def _without_none(venues: Hashes) -> Hashes:
    return np.unique(venues[venues > 0])


def _precedents(evidence: PrecedentEvidence, places: Rows) -> dict[str, Column]:
    """Return the features of precedents, 0 for papers without any."""
    known = places >= 0

    def column_of(column: Column) -> Column:
        values = np.zeros(len(places), dtype=np.float32)
        values[known] = column[places[known]]
        return values

    features = {name: column_of(getattr(evidence, name)) for name in _FROM_EVIDENCE}
    for name in ("profile", "alike"):
        features[f"{name}_gap"] = features[name] - best_values(features[name])
    features["citations"] = np.log1p(column_of(evidence.citations))
    features["together_damped"] = column_of(damped(evidence.together, evidence.citations))
    return features


def among(values: NDArray[np.generic], wanted: NDArray[np.generic]) -> Column:
    """Return 1 for each value that is in `wanted` (ascending, distinct), else 0."""
    if not len(wanted):
        return np.zeros(len(values), dtype=np.float32)
    places = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    return np.asarray(wanted[places] == values, dtype=np.float32)


def _handles(text: str) -> Hashes:
    """Return the hashes of all words and pairs of words of a text: a handle is one of them."""
    return word_hashes(_words_and_pairs(text))


def _surnames(text: str) -> Hashes:
    """Return the hashes of all words and pairs of words in a text that can be a surname."""
    return word_hashes([name for name in {*_words_and_pairs(text)} if may_be_surname(name, text)])


def _words_and_pairs(text: str) -> list[str]:
    words = [word.strip(_AROUND_WORDS).removesuffix("'s") for word in fold(text).split()]
    return [
        *words,
        *(f"{word} {next_word}" for word, next_word in zip(words, words[1:], strict=False)),
    ]
