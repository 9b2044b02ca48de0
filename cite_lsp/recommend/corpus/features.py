"""The evidence for papers of a corpus, one column a feature: what its second stage learns from.

Where `features.py` weighs a writer's own library by the habits of the draft, here are the papers
that the draft has not met: their text, their nearness to what the section cites (phase 2, Tanaka et
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
"""BM25 of windows (`fading_words`, `close_words`: what stands next to the marker most), and what
the near window holds of titles and names."""
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
_SAID_BY_WITNESS = (
    *("profile", "alike", "alike_sum", "alike_words", "alike_words_sum"),
    *("contexts", "together", "together_nearest", "subject", "subject_nearest"),
)
WITH_GAP = ("near_words", "wide_words", "fading_words", "close_words", "placed", "both")
_GAP_AT = 5
"""A gap is the distance to the mean of so many greatest values among the candidates."""
_THIS_YEAR_UNKNOWN = 0
_FADE = 40.0
"""Characters from the marker at which a word of a title counts 1/e of what it counts beside it."""
_BEHIND = 0.6
"""What a word behind the marker counts: what is cited is mostly named before."""
_CAPITALS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9+-]*[A-Z][A-Za-z0-9+-]*")
_AROUND_WORDS = ".,;:!?()[]{}'\"\u2018\u2019\u201c\u201d"


@frozen
class Scores:
    """What phase 1 found of the candidates, columns of shape (r,): BM25 scores and cosines.

    placed: cosine of the paper and where the query encoder puts the context, both: of the paper
    together with the mean of where the contexts lie that cite it.
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
    witness: PrecedentEvidence | None,
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
    if witness is not None:
        for name, values in _precedents(witness, places).items():
            put(name, values)
    for found in (
        _titles(query, candidates.rows, columns),
        _beside_marker(query, candidates.rows, columns, titles),
        section_features(candidates, section, section_vectors, columns),
    ):
        for name, values in found.items():
            put(name, values)
    return matrix


def best_values(values: Column) -> float:
    """Return the mean of the greatest values, from which a gap is measured."""
    if not len(values):
        return 0.0
    count = min(_GAP_AT, len(values))
    return float(np.partition(values, -count)[-count:].mean())


def _titles(query: Query, rows: Rows, columns: PaperColumns) -> dict[str, Column]:
    """Return how far the text holds the title, the name and the authors of each paper."""
    titles, weights = columns.titles(rows)
    whole = np.maximum(titles.sums(weights), 1e-6)
    found: dict[str, Column] = {"title_length": np.diff(titles.starts).astype(np.float32)}
    for name in ("sentence", "near", "wide"):
        wanted = word_hashes(tokenise(getattr(query, name)))
        held = titles.sums(weights * among(titles.values, wanted))
        found[f"title_cover_{name}"] = np.asarray(held / whole, dtype=np.float32)
    handles = columns.handles[rows]
    for name in ("near", "wide"):
        held = among(handles, _handles(getattr(query, name)))
        found[f"handle_{name}"] = np.where(handles == 0, np.nan, held).astype(np.float32)
    authors = columns.authors(rows)
    named = among(authors.values, _surnames(query.wide))
    found["author_named"] = authors.sums(named)
    return found


def _beside_marker(
    query: Query, rows: Rows, columns: PaperColumns, titles: Callable[[Rows], Sequence[str]]
) -> dict[str, Column | float]:
    """Return how near to the marker stands what names each paper, and whether names do."""
    left, right = query.near_sides
    before, behind = read_latin_names(left, len(left)), read_latin_names(right, 0)
    words, weights = columns.titles(rows)
    whole = np.maximum(words.sums(weights), 1e-6)
    closeness = np.maximum(
        np.exp(-distances_of(words.values, before.words) / _FADE),
        _BEHIND * np.exp(-distances_of(words.values, behind.words) / _FADE),
    )
    capitals = [token for word in _CAPITALS.findall(f"{left} {right}") for token in tokenise(word)]
    held = among(words.values, word_hashes(capitals)) if capitals else np.float32(math.nan)
    acronyms = {*before.acronyms, *behind.acronyms}
    firsts = initials_of(titles(rows)) if acronyms else ()
    return {
        "title_close": np.asarray(words.sums(weights * closeness) / whole, dtype=np.float32),
        "capitals": float(len(capitals)),
        "capitals_cover": words.sums(weights * held),
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
    """Return how near each paper is to what the section cites (phase 2), and what they share."""
    size = len(candidates.rows)
    found: dict[str, Column] = {
        "section_papers": np.full(size, len(section), dtype=np.float32),
        "in_section": np.isin(candidates.rows, section).astype(np.float32),
    }
    if not len(section):
        return found
    cosines = candidates.vectors @ vectors.T
    itself = candidates.rows[:, None] == section[None, :]
    others = (~itself).sum(axis=1)
    total = np.where(itself, 0.0, cosines).sum(axis=1)
    greatest = np.where(itself, -1.0, cosines).max(axis=1)
    found["section_nearest"] = np.asarray(np.where(others > 0, greatest, np.nan), np.float32)
    found["section_mean"] = np.asarray(total / np.maximum(others, 1), dtype=np.float32)
    authors, venues = columns.authors(candidates.rows), columns.venues[candidates.rows]
    shared = authors.sums(among(authors.values, np.unique(columns.authors(section).values)))
    same_venue = among(venues, _without_none(columns.venues[section]))
    for place in np.flatnonzero(itself.any(axis=1)):
        rest = section[~itself[place]]  # what is cited here is not compared with itself
        own = np.unique(columns.authors(candidates.rows[place : place + 1]).values)
        shared[place] = among(own, np.unique(columns.authors(rest).values)).sum()
        same_venue[place] = float(venues[place] in _without_none(columns.venues[rest]))
    found["section_authors"], found["section_venue"] = shared, same_venue
    return found


def _without_none(venues: Hashes) -> Hashes:
    return np.unique(venues[venues > 0])


def _precedents(witness: PrecedentEvidence, places: Rows) -> dict[str, Column]:
    """Return what the witness says, 0 of a paper that it never saw cited."""
    there = places >= 0

    def of(column: Column) -> Column:
        values = np.zeros(len(places), dtype=np.float32)
        values[there] = column[places[there]]
        return values

    found = {name: of(getattr(witness, name)) for name in _SAID_BY_WITNESS}
    for name in ("profile", "alike"):
        found[f"{name}_gap"] = found[name] - best_values(found[name])
    found["citations"] = np.log1p(of(witness.citations))
    found["together_damped"] = of(damped(witness.together, witness.citations))
    return found


def among(values: NDArray[np.generic], wanted: NDArray[np.generic]) -> Column:
    """Return for each value 1 where it is among those wanted (ascending, distinct), else 0."""
    if not len(wanted):
        return np.zeros(len(values), dtype=np.float32)
    places = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    return np.asarray(wanted[places] == values, dtype=np.float32)


def _handles(text: str) -> Hashes:
    """Return the hashes of every word and every two words of a text: a handle is one of them."""
    return word_hashes(_words_and_pairs(text))


def _surnames(text: str) -> Hashes:
    """Return the hashes of what can be a surname in a text: one or two words."""
    return word_hashes([name for name in {*_words_and_pairs(text)} if may_be_surname(name, text)])


def _words_and_pairs(text: str) -> list[str]:
    words = [word.strip(_AROUND_WORDS).removesuffix("'s") for word in fold(text).split()]
    return [*words, *(f"{word} {two}" for word, two in zip(words, words[1:], strict=False))]
