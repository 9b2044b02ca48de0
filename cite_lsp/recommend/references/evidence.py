"""Candidates for a whole draft, and the evidence for each: nearness of texts, names, citations.

Text: the draft's summary (title and abstract), its passages, and what it cites, by words and by
vectors. Names: authors, venues. Citations: see `citation_evidence.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Vectors
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.method import PaperSource
from cite_lsp.recommend.references.citation_evidence import CitationEvidence
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_text import DraftQuery, frequent, rarities
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.query_words import query_words
from cite_lsp.storage.array_folder import places_in

FEATURES = (
    "summary_words",
    "summary_cosine",
    "passage_words",
    "passages_words",
    "passage_cosine",
    "passages_near",
    "cited_words",
    "cited_cosine",
    "cited_nearest",
    "cited_centre",
    "cited_authors",
    "cited_venue",
    "cited_age_gap",
    "own_authors",
    "named",
    "near_votes",
    "near_votes_damped",
    "near_sharp",
    "near_nearest",
    "near_count",
    "near_mean",
    "feedback",
    "feedback_damped",
    "own_votes",
    "own_votes_damped",
    "together",
    "together_damped",
    "coupled_votes",
    "cites_same",
    "cites_likely",
    "cited_by_cited",
    "walk",
    "walk_damped",
    "citations",
    "recent",
    "age",
    "known_age",
    "linked",
    "cited",
    "passages",
)
"""summary_words, summary_cosine: BM25 of the summary, over the greatest; its cosine. passage_words,
passage_cosine: the greatest of the passages; passages_words, passages_near: means of the three
greatest. cited_words: BM25 of the titles that the draft cites. cited_cosine: mean of the three
greatest cosines to papers that it cites, cited_nearest: the greatest, cited_centre: the cosine to
their mean. cited_authors: how often it cites authors of the paper, cited_venue: its venue,
cited_age_gap: how much older or younger the paper is than they are. own_authors: surnames of the
draft's authors that it has, the rarer the more. named: share of its first two surnames that stand
in the text. near_votes: the squared nearness of the near documents that cite the paper, also damped
by its citations; near_sharp: the same to a higher power; near_nearest: the greatest, near_count:
how many of the `NEAREST`; near_mean: mean nearness of all that cite it. feedback: documents that
cite it beside what near documents cite most. own_votes: documents by the draft's authors. together:
documents that cite it beside papers of the draft, by how many. coupled_votes: the same by the share
of their references that the draft has. cites_same: share of its references that the draft cites,
cites_likely: that near documents cite most. cited_by_cited: papers cited by the draft that cite it.
walk: random walk. citations: logarithm of their number, recent: of those of the last years. age:
logarithm of the years before the draft. linked: whether citations are known at all. cited,
passages: logarithms of how many the draft has."""
PLACE = {name: number for number, name in enumerate(FEATURES)}
_RETRIEVED = 300
"""Papers from each order that finds candidates."""
_RETRIEVED_BY_PASSAGE = 30
_SEARCHED = 1000
"""Papers, nearest to the summary, among which near documents are looked for."""
_CITED_READ = 60
"""Cited papers whose titles are searched for, spread evenly over all."""
_SURNAMES = 2
"""First authors of a paper by whom a text names it."""


@frozen(eq=False)
class DraftCandidates:
    """The candidates of a source: rows (r,), their features (r, f), and the nearest documents.

    near: the `NEAREST` documents of the graph, the nearest first.
    """

    rows: Rows
    features: NDArray[np.float32]
    near: Rows


@frozen(eq=False)
class _WordScores:
    """BM25 of each paper, (n,): by the summary, by each passage, and by the titles cited."""

    summary: Column
    passages: list[Column]
    cited: Column | None


def gather(
    source: PaperSource,
    graph: CitationGraph | None,
    query: DraftQuery,
    *,
    allowed: NDArray[np.bool_] | None = None,
    cancelled: Cancel | None = None,
) -> DraftCandidates:
    """Return the papers that a draft may lack, in no order, with the evidence for each.

    `allowed`, shape (n,), is true of every row that may be among them; what is cited is not.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    words = _word_scores(source, query, cancelled)
    vectors = query.vectors if source.has_vectors else None
    nearest = np.zeros(0, dtype=np.int64)
    if vectors is not None:
        nearest = source.nearest(vectors[0], _SEARCHED)
    stop_if(cancelled)
    candidates = [*_by_words(words, allowed)]
    if vectors is not None:
        candidates += [_allowed(nearest, allowed)[:_RETRIEVED]]
        candidates += _by_vectors(source, query, vectors, allowed)
    evidence = None
    if graph is not None:
        stop_if(cancelled)
        nearest = np.union1d(nearest, _best(words.summary, _SEARCHED, None))
        evidence = CitationEvidence(source, graph, query, nearest, words.summary)
        candidates += [
            _allowed(graph.rows[_best(column, _RETRIEVED, None)], allowed)
            for column in evidence.columns.values()
        ]
    rows = np.unique(np.concatenate(candidates)).astype(np.int64)
    rows = rows[~np.isin(rows, query.cited)]
    stop_if(cancelled)
    columns = _text_columns(words, rows) | _name_columns(source, query, rows)
    columns |= _age_columns(source, query, rows)
    if vectors is not None and len(rows):
        columns |= _vector_columns(source, query, vectors, rows)
    if evidence is not None and graph is not None:
        places = graph.places_of(rows)
        present = places >= 0
        for name, column in evidence.columns.items():
            columns[name] = np.where(present, column[places], 0.0)
        columns |= evidence.as_documents(rows)
        columns["linked"] = np.ones(len(rows), dtype=np.float32)
    columns["cited"] = np.full(len(rows), np.log1p(len(query.cited)))
    columns["passages"] = np.full(len(rows), np.log1p(len(query.passages)))
    features = np.zeros((len(rows), len(FEATURES)), dtype=np.float32)
    for name, column in columns.items():
        features[:, PLACE[name]] = column
    return DraftCandidates(rows, features, evidence.near if evidence else np.zeros(0, np.int64))


def _word_scores(source: PaperSource, query: DraftQuery, cancelled: Cancel | None) -> _WordScores:
    summary = source.word_scores(query.summary)
    passages = []
    for words in query.passages:
        stop_if(cancelled)
        passages.append(source.word_scores(words))
    stop_if(cancelled)
    if not len(query.cited):
        return _WordScores(summary, passages, None)
    step = max(1, -(-len(query.cited) // _CITED_READ))
    titles = ". ".join(source.paper(row).title for row in query.cited[::step].tolist())
    return _WordScores(summary, passages, source.word_scores(frequent(query_words(titles))))


def _by_words(words: _WordScores, allowed: NDArray[np.bool_] | None) -> Iterator[Rows]:
    yield _best(words.summary, _RETRIEVED, allowed)
    for scores in words.passages:
        yield _best(scores, _RETRIEVED_BY_PASSAGE, allowed)
    if words.cited is not None:
        yield _best(words.cited, _RETRIEVED, allowed)


def _by_vectors(
    source: PaperSource, query: DraftQuery, vectors: Vectors, allowed: NDArray[np.bool_] | None
) -> Iterator[Rows]:
    for vector in vectors[1:]:
        rows = source.nearest(vector, 5 * _RETRIEVED_BY_PASSAGE)
        yield _allowed(rows, allowed)[:_RETRIEVED_BY_PASSAGE]
    if len(query.cited):
        centre = source.vectors(query.cited).mean(axis=0)
        yield _allowed(source.nearest(centre, 2 * _RETRIEVED), allowed)[:_RETRIEVED]


def _text_columns(words: _WordScores, rows: Rows) -> dict[str, Column]:
    columns = {"summary_words": _shares(words.summary, rows)}
    if words.passages:
        shares = np.stack([_shares(scores, rows) for scores in words.passages], axis=1)
        columns["passage_words"] = shares.max(axis=1)
        columns["passages_words"] = _mean_of_best(shares)
    if words.cited is not None:
        columns["cited_words"] = _shares(words.cited, rows)
    return columns


def _vector_columns(
    source: PaperSource, query: DraftQuery, vectors: Vectors, rows: Rows
) -> dict[str, Column]:
    paper_vectors = source.vectors(rows)
    cosines = paper_vectors @ vectors.T
    columns: dict[str, Column] = {"summary_cosine": cosines[:, 0]}
    if len(vectors) > 1:
        columns["passage_cosine"] = cosines[:, 1:].max(axis=1)
        columns["passages_near"] = _mean_of_best(cosines[:, 1:])
    if len(query.cited):
        of_cited = source.vectors(query.cited)
        to_cited = paper_vectors @ of_cited.T
        centre = of_cited.mean(axis=0)
        columns["cited_cosine"] = _mean_of_best(to_cited)
        columns["cited_nearest"] = to_cited.max(axis=1)
        columns["cited_centre"] = paper_vectors @ (
            centre / max(float(np.linalg.norm(centre)), 1e-9)
        )
    return columns


def _name_columns(source: PaperSource, query: DraftQuery, rows: Rows) -> dict[str, Column]:
    authors = source.authors(rows)
    columns: dict[str, Column] = {}
    if len(query.authors):
        columns["own_authors"] = authors.sums(rarities(authors.values, query.authors))
    if len(query.names):
        first = np.arange(len(authors.values)) - np.repeat(
            authors.starts[:-1], np.diff(authors.starts)
        )
        named = np.isin(authors.values, query.names) & (first < _SURNAMES)
        counts = np.clip(np.diff(authors.starts), 1, _SURNAMES)
        columns["named"] = authors.sums(named.astype(np.float32)) / counts
    if len(query.cited):
        names, counts = np.unique(source.authors(query.cited).values, return_counts=True)
        columns["cited_authors"] = authors.sums(np.log1p(_counts(authors.values, names, counts)))
        cited = source.venues(query.cited)
        venues, counts = np.unique(cited[cited > 0], return_counts=True)
        columns["cited_venue"] = np.log1p(_counts(source.venues(rows), venues, counts))
    return columns


def _age_columns(source: PaperSource, query: DraftQuery, rows: Rows) -> dict[str, Column]:
    year = query.text.year or int(source.years.max(initial=0))
    years = source.years[rows]
    columns: dict[str, Column] = {
        "known_age": ((years > 0) & (year > 0)).astype(np.float32),
        "age": np.where(years > 0, np.log1p(np.maximum(year - years, 0)), 0.0),
    }
    cited = source.years[query.cited]
    cited = cited[cited > 0]
    if len(cited):
        mean = float(np.log1p(np.maximum(year - cited, 0)).mean())
        columns["cited_age_gap"] = np.where(years > 0, np.abs(columns["age"] - mean), 1.0)
    return columns


def _counts(
    values: NDArray[np.generic], distinct: NDArray[np.generic], counts: NDArray[np.int64]
) -> Column:
    """Return the count of each value, 0 of one not among the `distinct`, which ascend."""
    return np.append(counts, 0)[places_in(distinct, values)].astype(np.float32)


def _shares(scores: Column, rows: Rows) -> Column:
    return np.asarray(scores[rows] / max(float(scores.max(initial=0)), 1e-6), dtype=np.float32)


def _best(scores: Column, count: int, allowed: NDArray[np.bool_] | None) -> Rows:
    """Return the rows of up to `count` greatest scores above 0, best first."""
    rows = np.flatnonzero(scores > 0 if allowed is None else (scores > 0) & allowed)
    if len(rows) > count:
        rows = rows[np.argpartition(-scores[rows], count - 1)[:count]]
    return rows[np.lexsort((rows, -scores[rows]))]


def _allowed(rows: Rows, allowed: NDArray[np.bool_] | None) -> Rows:
    return rows if allowed is None else rows[allowed[rows]]


def _mean_of_best(values: Vectors) -> Column:
    """Return the mean of the three greatest values of each row, shape (r, q) to (r,)."""
    count = min(3, values.shape[1])
    best = np.partition(values, -count, axis=1)[:, -count:]
    return np.asarray(best.mean(axis=1), dtype=np.float32)
