"""Candidates for a whole draft, and the evidence for each: nearness of texts, and citations.

Text: the draft's summary (title and abstract) and its passages, by words and by vectors. Citations:
what the nearest documents cite, what is cited together with what the draft cites, what shares
references with it, and a random walk from all of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Cancel, Encoder, Vectors, stop_if
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.evidence.precedents import damped
from cite_lsp.recommend.references.draft_text import DraftText
from cite_lsp.recommend.references.graph import CitationGraph
from cite_lsp.recommend.references.sources import PaperSource
from cite_lsp.search.vectors.index import Rows
from cite_lsp.search.words.query_words import Words, query_words

FEATURES = (
    "summary_words",
    "summary_cosine",
    "passage_words",
    "passage_cosine",
    "passages_near",
    "near_votes",
    "near_votes_damped",
    "near_nearest",
    "near_count",
    "together",
    "together_damped",
    "coupled_votes",
    "cites_same",
    "cited_by_cited",
    "walk",
    "walk_damped",
    "cited_cosine",
    "citations",
    "age",
    "known_age",
)
"""summary_words, summary_cosine: BM25 of the summary, over the greatest; its cosine. passage_words,
passage_cosine: the greatest of the passages; passages_near: mean cosine of the three nearest.
near_votes: the squared nearness of the near documents that cite the paper, also damped by its
citations; near_nearest: the greatest, near_count: how many of the `NEAREST`. together: documents
that cite it beside papers of the draft, by how many. coupled_votes: the same by the share of their
references that the draft has. cites_same: share of its references that the draft cites.
cited_by_cited: papers cited by the draft that cite it. walk: random walk. cited_cosine: mean of the
three greatest cosines to papers that the draft cites. citations: logarithm of their number. age:
logarithm of the years before the draft."""
PLACE = {name: number for number, name in enumerate(FEATURES)}
NEAREST = 20
"""Documents nearest to a draft that reasons and completeness go by."""
_NEAR_DOCUMENTS = 100
"""Documents nearest to a draft whose citations count."""
_RETRIEVED = 300
"""Papers from each order that finds candidates."""
_RETRIEVED_BY_PASSAGE = 30
_SEARCHED = 1000
"""Papers, nearest to the summary, among which near documents are looked for."""
_PASSAGE_TERMS = 40
"""Different words of a passage that are searched for: the most frequent."""


@frozen(eq=False)
class Query:
    """A draft as it is compared with a source: words, vectors (None without an encoder), citations.

    vectors: of the summary first, then of each passage, shape (1 + p, d). cited: rows that the
    draft cites. known: 1 for each document of the graph that counts, shape (n,).
    """

    text: DraftText
    summary: Words
    passages: tuple[Words, ...]
    vectors: Vectors | None
    cited: Rows
    known: Column


@frozen(eq=False)
class Candidates:
    """The candidates of a source: rows (r,), their features (r, f), and the nearest documents.

    near: the `NEAREST` documents of the graph, the nearest first.
    """

    rows: Rows
    features: NDArray[np.float32]
    near: Rows


def query_of(
    text: DraftText,
    encoder: Encoder | None,
    cited: Sequence[int] = (),
    graph: CitationGraph | None = None,
    *,
    own: int = -1,
    cancelled: Cancel | None = None,
) -> Query:
    """Return a draft as a query; documents newer than it, and itself (row `own`), are not known.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    vectors = None
    if encoder is not None:
        texts = [text.summary, *(f"{part.section}. {part.text}" for part in text.passages)]
        vectors = encoder.encode(texts, cancelled=cancelled)
    known = np.zeros(0, dtype=np.float32)
    if graph is not None:
        known = np.ones(len(graph.documents), dtype=np.float32)
        if text.year:
            known[graph.years > text.year] = 0.0
        if own >= 0:
            known[graph.documents == own] = 0.0
    return Query(
        text,
        query_words(f"{text.title}. {text.abstract}"),
        tuple(_frequent(query_words(f"{part.section}. {part.text}")) for part in text.passages),
        vectors,
        np.unique(np.asarray(cited, dtype=np.int64)),
        known,
    )


def gather(
    source: PaperSource,
    graph: CitationGraph | None,
    query: Query,
    *,
    allowed: NDArray[np.bool_] | None = None,
    cancelled: Cancel | None = None,
) -> Candidates:
    """Return the papers that a draft may lack, in no order, with the evidence for each.

    `allowed`, shape (n,), is true of every row that may be among them; what is cited is not.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    by_summary = source.word_scores(query.summary)
    stop_if(cancelled)
    by_passages = []
    for words in query.passages:
        by_passages.append(source.word_scores(words))
        stop_if(cancelled)
    retrieved = [_best(by_summary, _RETRIEVED, allowed)]
    retrieved += [_best(scores, _RETRIEVED_BY_PASSAGE, allowed) for scores in by_passages]
    searched = np.zeros(0, dtype=np.int64)
    vectors = query.vectors if source.has_vectors else None
    if vectors is not None:
        nearest, _ = source.nearest(vectors[:1], _SEARCHED)
        searched = nearest[0][nearest[0] >= 0]
        retrieved.append(_allowed(searched, allowed)[:_RETRIEVED])
        if len(vectors) > 1:
            nearest, _ = source.nearest(vectors[1:], 5 * _RETRIEVED_BY_PASSAGE)
            retrieved += [
                _allowed(rows[rows >= 0], allowed)[:_RETRIEVED_BY_PASSAGE] for rows in nearest
            ]
    stop_if(cancelled)
    evidence = None
    if graph is not None:
        searched = np.union1d(searched, _best(by_summary, _SEARCHED, None))
        evidence = _Citations(source, graph, query, searched, by_summary)
        retrieved += [
            _allowed(graph.rows[places], allowed)
            for column in evidence.columns.values()
            for places in (_best(column, _RETRIEVED, None),)
        ]
    rows = np.unique(np.concatenate(retrieved)).astype(np.int64)
    rows = rows[~np.isin(rows, query.cited)]
    stop_if(cancelled)
    features = np.zeros((len(rows), len(FEATURES)), dtype=np.float32)

    def put(name: str, column: NDArray[np.generic]) -> None:
        features[:, PLACE[name]] = column

    put("summary_words", by_summary[rows] / max(float(by_summary.max(initial=0)), 1e-6))
    if by_passages:
        shares = [scores[rows] / max(float(scores.max(initial=0)), 1e-6) for scores in by_passages]
        put("passage_words", np.max(shares, axis=0))
    if vectors is not None and len(rows):
        own = source.vectors(rows)
        cosines = own @ vectors.T
        put("summary_cosine", cosines[:, 0])
        if len(vectors) > 1:
            put("passage_cosine", cosines[:, 1:].max(axis=1))
            put("passages_near", _mean_of_best(cosines[:, 1:]))
        if len(query.cited):
            put("cited_cosine", _mean_of_best(own @ source.vectors(query.cited).T))
    if evidence is not None and graph is not None:
        places = graph.places_of(rows)
        there = places >= 0
        for name, column in evidence.columns.items():
            put(name, np.where(there, column[places], 0.0))
        put("cites_same", evidence.cites_same(rows))
    year = query.text.year or int(source.years.max(initial=0))
    years = source.years[rows]
    put("known_age", (years > 0) & (year > 0))
    put("age", np.where(years > 0, np.log1p(np.maximum(year - years, 0)), 0.0))
    return Candidates(rows, features, evidence.near if evidence else np.zeros(0, np.int64))


class _Citations:
    """The evidence of a graph for its papers: `columns`, each of shape (m,), and near documents."""

    def __init__(
        self,
        source: PaperSource,
        graph: CitationGraph,
        query: Query,
        searched: Rows,
        by_summary: Column,
    ) -> None:
        self._graph, self._query = graph, query
        nearness = self._nearness(source, searched, by_summary)
        order = np.argsort(-nearness, kind="stable")[:_NEAR_DOCUMENTS]
        order = order[nearness[order] > 0]
        self.near: Rows = order[:NEAREST]
        weights, nearest = np.zeros_like(nearness), np.zeros_like(nearness)
        weights[order], nearest[self.near] = nearness[order] ** 2, 1.0
        citations = graph.votes(query.known)
        cited = graph.places_of(query.cited)
        shared = graph.shared(cited[cited >= 0], query.known)
        self._shared = shared
        # A document that cites the paper beside k of the draft's: k, less the longer its list is.
        together = shared / np.log(2 + np.maximum(graph.lengths, 1))
        coupled = np.asarray(shared**2 / np.maximum(graph.lengths, 1), dtype=np.float32)
        start = np.zeros(len(graph.rows), dtype=np.float32)
        start[cited[cited >= 0]] = 1 / max(len(cited), 1)
        seeds = weights / max(float(weights.sum()), 1e-9)
        walked = graph.walk(start, seeds, query.known) * 1000
        near_votes, beside = graph.votes(weights), graph.votes(together)
        by_cited = np.isin(graph.documents, query.cited).astype(np.float32) * query.known
        self.columns: dict[str, Column] = {
            "near_votes": np.log1p(near_votes),
            "near_votes_damped": damped(near_votes, citations),
            "near_nearest": self._greatest(nearness, order),
            "near_count": np.log1p(graph.votes(nearest)),
            "together": np.log1p(beside),
            "together_damped": damped(beside, citations),
            "coupled_votes": np.log1p(graph.votes(coupled)),
            "cited_by_cited": np.log1p(graph.votes(by_cited)),
            "walk": np.log1p(walked),
            "walk_damped": damped(walked, citations),
            "citations": np.log1p(citations),
        }

    def cites_same(self, rows: Rows) -> Column:
        """Return for each row the share of its references that the draft cites, damped."""
        graph = self._graph
        order = np.argsort(graph.documents, kind="stable")
        ascending = graph.documents[order]
        places = np.minimum(np.searchsorted(ascending, rows), max(len(ascending) - 1, 0))
        documents = order[places]
        share = self._shared[documents] / np.sqrt(graph.lengths[documents] + 5)
        return np.asarray(np.where(ascending[places] == rows, share, 0.0), dtype=np.float32)

    def _nearness(self, source: PaperSource, searched: Rows, by_summary: Column) -> Column:
        """Return how near each document is to the draft's summary, 0 of those far from it, (n,)."""
        graph, query = self._graph, self._query
        nearness = np.zeros(len(graph.documents), dtype=np.float32)
        numbers = np.flatnonzero(np.isin(graph.documents, searched) & (query.known > 0))
        if not len(numbers):
            return nearness
        rows = graph.documents[numbers]
        words = by_summary[rows] / max(float(by_summary.max(initial=0)), 1e-6)
        if query.vectors is None or not source.has_vectors:
            nearness[numbers] = words
        else:
            cosines = source.vectors(rows) @ query.vectors[0]
            nearness[numbers] = (np.maximum(cosines, 0) + words) / 2
        return nearness

    def _greatest(self, nearness: Column, order: Rows) -> Column:
        chosen = np.zeros_like(nearness)
        chosen[order] = nearness[order]
        result = np.zeros(len(self._graph.rows), dtype=np.float32)
        np.maximum.at(result, self._graph.cites, chosen[self._graph.citing])
        return result


def _frequent(words: Words) -> Words:
    return dict(Counter(words).most_common(_PASSAGE_TERMS))


def _best(scores: Column, count: int, allowed: NDArray[np.bool_] | None) -> Rows:
    """Return the rows of up to `count` greatest scores above 0, best first."""
    rows = np.flatnonzero(scores > 0 if allowed is None else (scores > 0) & allowed)
    if len(rows) > count:
        rows = rows[np.argpartition(-scores[rows], count - 1)[:count]]
    return rows[np.lexsort((rows, -scores[rows]))]


def _allowed(rows: Rows, allowed: NDArray[np.bool_] | None) -> Rows:
    return rows if allowed is None else rows[allowed[rows]]


def _mean_of_best(cosines: Vectors, count: int = 3) -> Column:
    """Return the mean of the greatest cosines of each row, shape (r, q) to (r,)."""
    count = min(count, cosines.shape[1])
    best = np.partition(cosines, -count, axis=1)[:, -count:]
    return np.asarray(best.mean(axis=1), dtype=np.float32)
