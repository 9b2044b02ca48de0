"""Who cites whom among the papers of a corpus, as far as its sources and the precedents say."""

from __future__ import annotations

from threading import Lock

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.evidence.corpus_citations import with_own_references
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.search.corpus.paper_columns import take
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.storage.array_folder import list_starts, places_in
from cite_lsp.storage.caches import ByObject

_RESTART = 0.3
"""Probability with which the random walk goes back to where it began."""
_STEPS = 12
"""Steps of the walk; what is left to come is below 0.7 ** 12, 1.4 % of the whole."""


class CitationGraph:
    """Citations of m papers by n documents. Safe to share.

    A paper is known by its row in a corpus; of a document the row may be unknown (-1).
    """

    def __init__(
        self, documents: Rows, years: NDArray[np.int32], starts: NDArray[np.int64], cited: Rows
    ) -> None:
        """Take the citations.

        Args:
            documents: row of each citing document, -1 where the corpus lacks it, shape (n,).
            years: year of each, 0 where unknown, shape (n,).
            starts: where the citations of each start, and the end of the last, shape (n + 1,).
            cited: row of each paper cited, -1 where the corpus lacks it.
        """
        citing = np.repeat(np.arange(len(documents)), np.diff(starts))
        has_row = cited >= 0
        self.documents, self.years = documents, years
        self.rows, places = np.unique(cited[has_row], return_inverse=True)
        """Rows of the papers, ascending, shape (m,)."""
        self.citing = citing[has_row]
        """Document of each citation, ascending, shape (c,)."""
        self.cites = places.astype(np.int64)
        """Paper of each citation as an index of `rows`, shape (c,)."""
        self.starts = list_starts(np.bincount(self.citing, minlength=len(documents)))
        self.lengths = np.diff(self.starts).astype(np.float32)
        """Citations of each document that are known, shape (n,)."""
        document_places = self.places_of(documents)
        # A node for each paper, and one for each document that is not one of them.
        others = document_places < 0
        self._node = np.where(others, len(self.rows) - 1 + np.cumsum(others), document_places)
        self._nodes = len(self.rows) + int(others.sum())

    def __len__(self) -> int:
        return len(self.cites)

    def places_of(self, rows: Rows) -> Rows:
        """Return the index in `rows` of each row, -1 where nobody cites it."""
        return places_in(self.rows, rows)

    def votes(self, weights: Column) -> Column:
        """Return the sum of the weights of the documents that cite each paper, shape (m,).

        `weights` has shape (n,).
        """
        sums = np.bincount(self.cites, weights[self.citing], minlength=len(self.rows))
        return np.asarray(sums, dtype=np.float32)

    def shared(self, papers: Rows, known_documents: Column) -> Column:
        """Return how many of some papers each document cites, shape (n,).

        `papers` are distinct indexes of `rows`; documents with 0 in `known_documents`, shape (n,),
        cite none.
        """
        among = np.zeros(len(self.rows), dtype=np.float32)
        among[papers] = 1.0
        counts = np.bincount(self.citing, among[self.cites], minlength=len(self.documents))
        return np.asarray(counts * known_documents, dtype=np.float32)

    def walk(self, from_papers: Column, from_documents: Column, known_documents: Column) -> Column:
        """Return how often a random walk with restart is at each paper, shape (m,).

        It begins at papers and documents by their weights, (m,) and (n,), and goes along citations
        in both directions; those of documents with 0 in `known_documents` are not there
        (personalised PageRank: Page et al. 1999; for citations Gori and Pucci, "Research paper
        recommender systems: a random-walk based approach", WI 2006).
        """
        start = np.zeros(self._nodes)
        start[: len(self.rows)] = from_papers
        np.add.at(start, self._node, from_documents)
        if not start.any():
            return np.zeros(len(self.rows), dtype=np.float32)
        start /= start.sum()
        from_known = known_documents[self.citing] > 0
        source, target = self._node[self.citing[from_known]], self.cites[from_known]
        degree = np.bincount(source, minlength=self._nodes) + np.bincount(
            target, minlength=self._nodes
        )
        share = 1 / np.maximum(degree, 1)
        mass = start
        for _ in range(_STEPS):
            passed_on = mass * share
            arrived = np.bincount(target, passed_on[source], minlength=self._nodes) + np.bincount(
                source, passed_on[target], minlength=self._nodes
            )
            mass = _RESTART * start + (1 - _RESTART) * arrived
        return np.asarray(mass[: len(self.rows)], dtype=np.float32)


@frozen(eq=False)
class _Linked:
    """The graph of a corpus, and the precedents that it was made of."""

    precedents: Precedents
    graph: CitationGraph


_linked: ByObject[CorpusView, _Linked] = ByObject()
_lock = Lock()


def graph_of_corpus(corpus: CorpusView, precedents: Precedents) -> CitationGraph | None:
    """Return the citations among the papers of a corpus, computed once; None where none is known.

    They are those of its sources and those of `precedents`.

    Raises:
        SearchIndexError: the references of the corpus are damaged.
    """
    extended = with_own_references(precedents, corpus)
    with _lock:
        cached = _linked.get(corpus)
        if cached is None or cached.precedents is not extended:
            cached = _linked.keep(corpus, _Linked(extended, _link(corpus, extended)))
    return cached.graph if len(cached.graph) else None


def graph_of_lists(documents: Rows, years: NDArray[np.int32], cited: list[Rows]) -> CitationGraph:
    """Return the citations of documents that are given with the rows that each cites."""
    starts = list_starts([len(rows) for rows in cited])
    flat = np.concatenate([np.zeros(0, np.int64), *cited]).astype(np.int64)
    return CitationGraph(documents, years, starts, flat)


def _link(corpus: CorpusView, precedents: Precedents) -> CitationGraph:
    keys = np.asarray(corpus.columns.title_keys)
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    row_at = np.append(order, -1)  # its last is that of a place of -1: nothing was found
    arrays = precedents.arrays
    papers = row_at[places_in(ascending, precedents.papers)]
    documents = row_at[places_in(ascending, precedents.documents)]
    starts = arrays["cites_starts"].astype(np.int64)
    citing = np.flatnonzero(np.diff(starts))
    places, starts = take(starts, citing)
    cited = papers[arrays["cites"].astype(np.int64)[places]]
    return CitationGraph(documents[citing], precedents.years[citing], starts, cited)
