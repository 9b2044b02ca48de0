"""Evidence for papers from who cites whom, for one draft.

What the nearest documents cite, what those of the draft's own authors cite, what is cited together
with what the draft cites, what shares references with it, and a random walk from all of these.
"""

from __future__ import annotations

import numpy as np

from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.method import PaperSource
from cite_lsp.recommend.evidence.precedents import damped
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_text import DraftQuery, rarities
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.storage.array_folder import places_in

NEAREST = 20
"""Documents nearest to a draft that reasons and completeness go by."""
_NEAR_DOCUMENTS = 100
"""Documents nearest to a draft whose citations count."""
_SHARP = 6
"""Power of the nearness of a document in `near_sharp`."""
_FED_BACK = 20
"""Papers that near documents cite most, which count as if the draft cited them."""
_RECENT = 3
"""Years before the draft whose citations are recent."""
_PRIOR = 3.0
"""Citations added to those of a paper before the mean over them is taken."""


class CitationEvidence:
    """The evidence of a graph for its m papers: `columns`, each of shape (m,); near documents."""

    def __init__(
        self,
        source: PaperSource,
        graph: CitationGraph,
        query: DraftQuery,
        nearest_rows: Rows,
        by_summary: Column,
    ) -> None:
        """Compute the columns.

        Args:
            source: the papers.
            graph: their citations.
            query: the draft.
            nearest_rows: rows among which near documents are looked for.
            by_summary: BM25 of the draft's summary for every paper, shape (n,).
        """
        self._graph, self._query = graph, query
        nearness = self._nearness(source, nearest_rows, by_summary)
        order = np.argsort(-nearness, kind="stable")[:_NEAR_DOCUMENTS]
        order = order[nearness[order] > 0]
        self.near: Rows = order[:NEAREST]
        """The `NEAREST` documents of the graph, the nearest first."""
        weights, nearest = np.zeros_like(nearness), np.zeros_like(nearness)
        weights[order], nearest[self.near] = nearness[order] ** 2, 1.0
        citations = graph.votes(query.known_documents)
        cited = graph.places_of(query.cited)
        self._shared = shared = graph.shared(cited[cited >= 0], query.known_documents)
        # A document that cites the paper beside k of the draft's: k, less the longer its list is.
        together = shared / np.log(2 + np.maximum(graph.lengths, 1))
        coupled = np.asarray(shared**2 / np.maximum(graph.lengths, 1), dtype=np.float32)
        by_same_authors = self._by_own_authors(source)
        start = np.zeros(len(graph.rows), dtype=np.float32)
        start[cited[cited >= 0]] = 1 / max(len(cited), 1)
        seeds = weights / max(float(weights.sum()), 1e-9)
        walked = graph.walk(start, seeds, query.known_documents) * 1000
        near_votes, beside, own_votes = map(graph.votes, (weights, together, by_same_authors))
        sharp = graph.votes(np.where(weights > 0, nearness, 0.0).astype(np.float32) ** _SHARP)
        self._likely = self._like_near(damped(near_votes, citations))
        feedback = graph.votes(self._likely)
        by_cited = np.isin(graph.documents, query.cited).astype(np.float32) * query.known_documents
        self.columns: dict[str, Column] = {
            "near_votes": np.log1p(near_votes),
            "near_votes_damped": damped(near_votes, citations),
            "near_sharp": np.sqrt(sharp),
            "near_nearest": self._greatest(nearness, order),
            "near_count": np.log1p(graph.votes(nearest)),
            "near_mean": graph.votes(nearness) / (citations + _PRIOR),
            "feedback": np.log1p(feedback),
            "feedback_damped": damped(feedback, citations),
            "own_votes": np.log1p(own_votes),
            "own_votes_damped": damped(own_votes, citations),
            "together": np.log1p(beside),
            "together_damped": damped(beside, citations),
            "coupled_votes": np.log1p(graph.votes(coupled)),
            "cited_by_cited": np.log1p(graph.votes(by_cited)),
            "walk": np.log1p(walked),
            "walk_damped": damped(walked, citations),
            "citations": np.log1p(citations),
            "recent": np.log1p(graph.votes(self._recent())),
        }

    def as_documents(self, rows: Rows) -> dict[str, Column]:
        """Return what papers of a source are worth by what they cite themselves, each (r,).

        cites_same: the share of its references that the draft cites. cites_likely: the share of
        those that near documents cite.
        """
        graph = self._graph
        order = np.argsort(graph.documents, kind="stable")
        places = places_in(graph.documents[order], rows)
        documents, present = order[places], places >= 0
        share = self._shared[documents] / np.sqrt(graph.lengths[documents] + 5)
        likely = np.sqrt(self._likely[documents])
        return {
            "cites_same": np.where(present, share, 0.0).astype(np.float32),
            "cites_likely": np.where(present, likely, 0.0).astype(np.float32),
        }

    def _nearness(self, source: PaperSource, nearest: Rows, by_summary: Column) -> Column:
        """Return how near each document is to the draft's summary, 0 of those far from it, (n,)."""
        graph, query = self._graph, self._query
        nearness = np.zeros(len(graph.documents), dtype=np.float32)
        numbers = np.flatnonzero(np.isin(graph.documents, nearest) & (query.known_documents > 0))
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
        document_nearness = np.zeros_like(nearness)
        document_nearness[order] = nearness[order]
        result = np.zeros(len(self._graph.rows), dtype=np.float32)
        np.maximum.at(result, self._graph.cites, document_nearness[self._graph.citing])
        return result

    def _like_near(self, likely: Column) -> Column:
        """Return how much each document cites of what near ones cite most, shape (n,).

        As if the draft cited these papers (pseudo-relevance feedback).
        """
        graph = self._graph
        weights = np.zeros_like(likely)
        best = np.argsort(-likely, kind="stable")[:_FED_BACK]
        weights[best] = likely[best] / max(float(likely.max(initial=0)), 1e-9)
        sums = np.bincount(graph.citing, weights[graph.cites], minlength=len(graph.documents))
        beside = sums**2 / np.maximum(graph.lengths, 1) * self._query.known_documents
        return np.asarray(beside, dtype=np.float32)

    def _by_own_authors(self, source: PaperSource) -> Column:
        """Return what the authors of each document share with those of the draft, shape (n,).

        That is the sum of the rarities of the surnames, squared: two in common say far more.
        """
        graph, query = self._graph, self._query
        shared = np.zeros(len(graph.documents), dtype=np.float32)
        present = np.flatnonzero((graph.documents >= 0) & (query.known_documents > 0))
        if len(query.authors) and len(present):
            names = source.authors(graph.documents[present])
            shared[present] = names.sums(rarities(names.values, query.authors)) ** 2
        return shared

    def _recent(self) -> Column:
        graph, query = self._graph, self._query
        year = query.text.year or int(graph.years.max(initial=0))
        return ((graph.years > year - _RECENT) * query.known_documents).astype(np.float32)
