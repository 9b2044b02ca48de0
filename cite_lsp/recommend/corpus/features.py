"""The features of papers of a corpus, from which the ranker of corpora was trained.

They are the text of the papers, their similarity to what the section cites (phase 2, Tanaka et
al.), and how others cited them (`precedents.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import fold
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.evidence.precedents import PrecedentEvidence, damped
from cite_lsp.recommend.query.latin_names import (
    DISTANCE_FEATURES,
    NameHashes,
    distances,
    distances_of,
    initials_of,
    may_be_surname,
    read_latin_names,
    spelled_distances,
    spelled_letters,
)
from cite_lsp.recommend.query.query import Query
from cite_lsp.search.corpus.paper_columns import PaperColumns
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import Hashes, word_hashes
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.array_folder import places_in

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
SCORES = (
    *("near_words", "wide_words", "fading_words", "close_words", "sentence_words", "topic_words"),
    *("draft_title", "placed", "both"),
)
"""The scores of candidates in phase 1: BM25 scores and cosines. placed: cosine of the query vector
and the paper, both: of the query vector and the paper joined with the mean vector of the contexts
that cite it."""
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
_CAPITALS = lazy_re(r"(?<![A-Za-z0-9])[A-Za-z0-9+-]*[A-Z][A-Za-z0-9+-]*")
_AROUND_WORDS = ".,;:!?()[]{}'\"\u2018\u2019\u201c\u201d"


@frozen
class EncodedQuery:
    """A context as the second stage reads it: its windows, and its vectors.

    year: that of the draft. vector: the query encoder's vector of the context, (d,). title: the
    vector of the draft's title by the encoder of papers, (d,).
    """

    windows: Query
    year: int | None
    vector: Column
    title: Column


@frozen
class Candidates:
    """Papers of a corpus: rows (r,), unit vectors (r, d), years, whether they have an abstract."""

    rows: Rows
    vectors: Vectors
    years: NDArray[np.int32]
    has_abstract: NDArray[np.bool_]

    @classmethod
    def of(cls, corpus: CorpusView, rows: Rows) -> Candidates:
        """Return the papers at rows of a corpus."""
        return cls(
            rows,
            corpus.vectors.vectors(rows),
            np.asarray(corpus.years[rows]),
            np.asarray(corpus.has_abstract[rows]),
        )


@frozen(eq=False)
class Section:
    """The papers that a section cites: distinct rows (s,), unit vectors (s, d), years (s,)."""

    rows: Rows
    vectors: Vectors
    years: NDArray[np.int32]

    @classmethod
    def of(cls, corpus: CorpusView, rows: Sequence[int]) -> Section:
        """Return distinct rows of a corpus as a section."""
        distinct = np.array(rows, dtype=np.int64)
        return cls(distinct, corpus.vectors.vectors(distinct), np.asarray(corpus.years[distinct]))


@frozen(eq=False)
class CandidateEvidence:
    """The evidence of precedents, and the index of each candidate among their papers, or -1."""

    evidence: PrecedentEvidence
    places: Rows


def corpus_features(
    query: EncodedQuery,
    candidates: Candidates,
    scores: Mapping[str, Column],
    section: Section,
    corpus: CorpusView,
    precedents: CandidateEvidence | None,
) -> NDArray[np.float32]:
    """Return the features of candidates, shape (r, len(CORPUS_FEATURES)); NaN where unknown.

    `scores` are the columns of `SCORES`, each of shape (r,).
    Titles are read from the corpus only for a context with acronyms.
    """
    windows, year, columns = query.windows, query.year, corpus.columns
    has_year = candidates.years > _THIS_YEAR_UNKNOWN
    features: dict[str, NDArray[np.generic] | float] = {
        **scores,
        **{f"{name}_gap": scores[name] - best_values(scores[name]) for name in WITH_GAP},
        "year": np.where(has_year, candidates.years, np.nan),
        "age": np.where(has_year & bool(year), (year or 0) - candidates.years, np.nan),
        "has_abstract": candidates.has_abstract,
        **_titles(windows, candidates.rows, columns),
        **_beside_marker(windows, candidates.rows, corpus),
        **section_features(candidates, section, columns),
    }
    if precedents is not None:
        features |= _precedents(precedents.evidence, precedents.places)
    return feature_matrix(CORPUS_FEATURES, len(candidates.rows), features)


def feature_matrix(
    names: Sequence[str], size: int, features: Mapping[str, NDArray[np.generic] | float]
) -> NDArray[np.float32]:
    """Return features as a matrix, shape (size, names); NaN where one is missing."""
    matrix = np.full((size, len(names)), np.nan, dtype=np.float32)
    for place, name in enumerate(names):
        if name in features:
            matrix[:, place] = features[name]
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
        words = word_hashes(tokenise(getattr(query, name)))
        covered = titles.sums(weights * among(titles.values, words))
        features[f"title_cover_{name}"] = np.asarray(covered / whole, dtype=np.float32)
    handles = columns.handles[rows]
    for name in ("near", "wide"):
        covered = among(handles, _handles(getattr(query, name)))
        features[f"handle_{name}"] = np.where(handles == 0, np.nan, covered).astype(np.float32)
    authors = columns.authors(rows)
    named = among(authors.values, _surnames(query.wide))
    features["author_named"] = authors.sums(named)
    return features


def _beside_marker(query: Query, rows: Rows, corpus: CorpusView) -> dict[str, Column | float]:
    """Return how near to the marker the names of each paper stand, and how many names there are."""
    columns, (left, right) = corpus.columns, query.near_sides
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
    firsts = initials_of(map(corpus.title, rows.tolist())) if acronyms else ()
    return {
        "title_close": np.asarray(words.sums(weights * closeness) / whole, dtype=np.float32),
        "capitals": float(len(capitals)),
        "capitals_cover": words.sums(weights * covered),
        "acronym": spelled_letters(acronyms, firsts),
        **distances(
            before,
            behind,
            NameHashes.of(columns, rows),
            spelled_distances(before.acronyms, firsts, len(rows)),
        ),
    }


def section_features(
    candidates: Candidates, section: Section, columns: PaperColumns
) -> dict[str, Column]:
    """Return the similarity of papers to what the section cites (phase 2), and what they share."""
    size, cited = len(candidates.rows), section.rows
    features: dict[str, Column] = {
        "section_papers": np.full(size, len(cited), dtype=np.float32),
        "in_section": np.isin(candidates.rows, cited).astype(np.float32),
    }
    if not len(cited):
        return features
    cosines = candidates.vectors @ section.vectors.T
    itself = candidates.rows[:, None] == cited[None, :]
    others = (~itself).sum(axis=1)
    total = np.where(itself, 0.0, cosines).sum(axis=1)
    greatest = np.where(itself, -1.0, cosines).max(axis=1)
    features["section_nearest"] = np.asarray(np.where(others > 0, greatest, np.nan), np.float32)
    features["section_mean"] = np.asarray(total / np.maximum(others, 1), dtype=np.float32)
    authors, venues = columns.authors(candidates.rows), columns.venues[candidates.rows]
    shared = authors.sums(among(authors.values, np.unique(columns.authors(cited).values)))
    same_venue = among(venues, _without_none(columns.venues[cited]))
    for place in np.flatnonzero(itself.any(axis=1)):
        rest = cited[~itself[place]]  # a cited paper is not compared with itself
        paper_authors = np.unique(columns.authors(candidates.rows[place : place + 1]).values)
        shared[place] = among(paper_authors, np.unique(columns.authors(rest).values)).sum()
        same_venue[place] = float(venues[place] in _without_none(columns.venues[rest]))
    features["section_authors"], features["section_venue"] = shared, same_venue
    return features


def _without_none(venues: Hashes) -> Hashes:
    return np.unique(venues[venues > 0])


def _precedents(evidence: PrecedentEvidence, places: Rows) -> dict[str, Column]:
    """Return the features of precedents, 0 for papers without any."""
    has_precedents = places >= 0

    def column_of(column: Column) -> Column:
        values = np.zeros(len(places), dtype=np.float32)
        values[has_precedents] = column[places[has_precedents]]
        return values

    features = {name: column_of(getattr(evidence, name)) for name in _FROM_EVIDENCE}
    for name in ("profile", "alike"):
        features[f"{name}_gap"] = features[name] - best_values(features[name])
    features["citations"] = np.log1p(column_of(evidence.citations))
    features["together_damped"] = column_of(damped(evidence.together, evidence.citations))
    return features


def among(values: NDArray[np.generic], members: NDArray[np.generic]) -> Column:
    """Return 1 for each value that is in `members` (ascending, distinct), else 0."""
    return np.asarray(places_in(members, values) >= 0, dtype=np.float32)


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
