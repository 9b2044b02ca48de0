"""The features of papers for a Chinese context, from which the bilingual ranker was trained.

English papers are matched by translated words, by words in Latin letters, by the vectors of an
encoder that reads Chinese, and by similarity to what the section cites (phase 2, Tanaka et al.: it
compares papers with papers, whatever the language of the draft).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cite_lsp.paper import fold
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.corpus.features import (
    Candidates,
    Section,
    among,
    best_values,
    feature_matrix,
    section_features,
)
from cite_lsp.recommend.query.latin_names import (
    DISTANCE_FEATURES,
    NameHashes,
    distances,
    initials_of,
    spelled_distances,
    spelled_letters,
)
from cite_lsp.recommend.query.query import BilingualQuery
from cite_lsp.search.corpus.paper_columns import PaperColumns
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.words.hashes import word_hash, word_hashes
from cite_lsp.search.words.query_words import Words
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.array_folder import places_in

WORD_ORDERS = (
    "faded",
    "words_near",
    "words_close",
    "words_sentence",
    "words_wide",
    "words_topic",
    "latin_near",
    "latin_close",
)
"""BM25 of the translated words of windows (`faded`: with more weight next to the marker), and of
their words in Latin letters alone."""
DENSE_ORDERS = (
    "near",
    "close",
    "sentence",
    "wide",
    "topic",
    "abstract",
    "translated_near",
    "placed",
)
"""Cosines of papers and the Chinese windows, the translated near window, and the query vector."""
WITH_GAP = ("faded", "words_near", "latin_near", "near", "translated_near", "placed")
BILINGUAL_FEATURES = (
    *WORD_ORDERS,
    *DENSE_ORDERS,
    *(f"{name}_gap" for name in WITH_GAP),
    "cover_near",
    "cover_close",
    "latin_cover_near",
    "latin_cover_close",
    "title_length",
    "handle_near",
    "authors_near",
    "authors_close",
    "first_author_near",
    "year_named",
    "author_and_year",
    "acronym",
    "latin_words",
    *DISTANCE_FEATURES,
    "section_nearest",
    "section_mean",
    "section_top",
    "section_words",
    "section_year",
    "section_papers",
    "in_section",
    "section_authors",
    "section_venue",
    "year",
    "has_abstract",
)
BILINGUAL_PLACE = {name: place for place, name in enumerate(BILINGUAL_FEATURES)}


def bilingual_features(
    query: BilingualQuery,
    candidates: Candidates,
    orders: Mapping[str, Column],
    section: Section,
    corpus: CorpusView,
) -> NDArray[np.float32]:
    """Return the features of candidates, shape (r, features), NaN where not known.

    `orders` are the columns of `WORD_ORDERS` and `DENSE_ORDERS`, each of shape (r,). Titles are
    read from the corpus only for a context with acronyms.
    """
    columns = corpus.columns
    titles = map(corpus.title, candidates.rows.tolist()) if query.acronyms else ()
    firsts = initials_of(titles)
    names = NameHashes.of(columns, candidates.rows)
    spelled = spelled_distances(query.before.acronyms, firsts, len(candidates.rows))
    return feature_matrix(
        BILINGUAL_FEATURES,
        len(candidates.rows),
        {
            **orders,
            **{f"{name}_gap": orders[name] - best_values(orders[name]) for name in WITH_GAP},
            **_titles(query, candidates, columns),
            **_names(query, candidates, columns),
            "acronym": spelled_letters(query.acronyms, firsts),
            "latin_words": len(query.latin_near),
            **distances(query.before, query.behind, names, spelled),
            **section_features(candidates, section, columns),
            **_section_similarity(candidates, section, columns),
            "year": np.where(candidates.years > 0, candidates.years, np.nan),
            "has_abstract": candidates.has_abstract,
        },
    )


def _titles(
    query: BilingualQuery, candidates: Candidates, columns: PaperColumns
) -> dict[str, Column]:
    """Return how much of each title the windows have, and whether they have its method's name."""
    titles, weights = columns.titles(candidates.rows)
    whole = np.maximum(titles.sums(weights), 1e-6)
    features: dict[str, Column] = {"title_length": np.diff(titles.starts).astype(np.float32)}
    windows = {
        "cover_near": query.near_words,
        "cover_close": query.close_words,
        "latin_cover_near": dict.fromkeys(tokenise(" ".join(query.latin_near)), 1.0),
        "latin_cover_close": dict.fromkeys(tokenise(" ".join(query.latin_close)), 1.0),
    }
    for name, words in windows.items():
        covered = titles.sums(weights * _word_weights(titles.values, words))
        features[name] = np.asarray(covered / whole, dtype=np.float32)
    latin = [fold(word) for word in query.latin_near]
    pairs = [" ".join(pair) for pair in pairwise(latin)]
    handles = columns.handles[candidates.rows]
    covered = among(handles, word_hashes([*latin, *pairs]))
    features["handle_near"] = np.where(handles == 0, np.nan, covered).astype(np.float32)
    return features


def _word_weights(values: NDArray[np.generic], words: Words) -> Column:
    """Return the weight of each hashed word in weighted words, at most 1."""
    hashes = np.array([word_hash(word) for word in words], dtype=np.uint32)
    strengths = np.minimum(np.fromiter(words.values(), np.float32, len(words)), 1.0)
    order = np.argsort(hashes, kind="stable")
    places = places_in(hashes[order], values)
    return np.append(strengths[order], 0.0)[places].astype(np.float32)


def _names(
    query: BilingualQuery, candidates: Candidates, columns: PaperColumns
) -> dict[str, Column]:
    """Return which authors the windows name, and whether they name the year."""
    authors = columns.authors(candidates.rows)
    features: dict[str, Column] = {}
    for name, latin in (
        ("authors_near", query.latin_near),
        ("authors_close", query.latin_close),
    ):
        named = among(authors.values, word_hashes(fold(word) for word in latin))
        features[name] = authors.sums(named)
    near = among(authors.values, word_hashes(fold(word) for word in query.latin_near))
    some = np.diff(authors.starts) > 0
    first = np.full(len(candidates.rows), np.nan, dtype=np.float32)
    first[some] = near[authors.starts[:-1][some]]
    features["first_author_near"] = first
    years = np.array(sorted(query.years), dtype=np.int64)
    named_year = among(candidates.years.astype(np.int64), years)
    if not len(years):
        named_year = np.full(len(candidates.rows), np.nan, dtype=np.float32)
    features["year_named"] = named_year
    features["author_and_year"] = (
        np.nan_to_num(named_year) * (features["authors_near"] > 0)
    ).astype(np.float32)
    return features


def _section_similarity(
    candidates: Candidates, section: Section, columns: PaperColumns
) -> dict[str, Column]:
    """Return how each paper fits the section: the three nearest papers, title words, year."""
    if not len(section.rows):
        return {}
    itself = candidates.rows[:, None] == section.rows[None, :]
    cosines = np.where(itself, np.nan, candidates.vectors @ section.vectors.T)
    ordered = -np.sort(-cosines, axis=1)[:, :3]
    with np.errstate(invalid="ignore"):
        top = np.where(
            np.isnan(ordered).all(axis=1),
            np.nan,
            np.nansum(ordered, axis=1) / np.maximum((~np.isnan(ordered)).sum(axis=1), 1),
        )
    words, weights = columns.titles(candidates.rows)
    theirs, _ = columns.titles(section.rows)
    distinct, counts = np.unique(theirs.values, return_counts=True)
    times = np.append(counts, 0)[places_in(distinct, words.values)]
    is_cited = np.repeat(itself.any(axis=1), np.diff(words.starts))
    times = np.asarray(times - is_cited, dtype=np.float32) / max(len(section.rows), 1)
    years = section.years[section.years > 0]
    year = np.median(years) if len(years) else np.nan
    return {
        "section_top": np.asarray(top, dtype=np.float32),
        "section_words": words.sums(weights * times),
        "section_year": np.where(candidates.years > 0, candidates.years - year, np.nan).astype(
            np.float32
        ),
    }
