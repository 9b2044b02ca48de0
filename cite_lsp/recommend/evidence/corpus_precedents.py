"""What a corpus knows of precedents: which of its papers they cite, which documents it has."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Vectors
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.evidence.precedents import Precedents, Witness, damped
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.index import Rows

_VENUE_SHRINK = 5.0


@frozen
class Known:
    """Precedents as a corpus sees them.

    places: number of each paper of the corpus among those of the precedents, -1 for none, (n,).
    rows: the row of each of those papers in the corpus, -1 for none, (m,).
    titles: unit vectors of the citing documents that the corpus has, 0 of the others, (d, width).
    venue_citations: how often the papers of each paper's venue are cited, on average, (n,).
    """

    precedents: Precedents
    places: NDArray[np.int32]
    rows: Rows
    titles: Vectors
    venue_citations: Column


def know(
    corpus: CorpusView, precedents: Precedents, titles_of_last: Vectors | None = None
) -> Known | None:
    """Find the papers and documents of precedents in a corpus; None where it has none of them.

    `titles_of_last` are unit vectors of the titles of the last documents, which the corpus lacks.
    """
    keys = np.asarray(corpus.columns.title_keys)
    places = precedents.find(precedents.papers, keys)
    found = np.flatnonzero(places >= 0)
    if not len(found):
        return None
    rows = np.full(len(precedents), -1, dtype=np.int64)
    rows[places[found[::-1]]] = found[::-1]  # of several records of a paper the first is it
    order = np.argsort(precedents.documents, kind="stable")
    documents = precedents.find(precedents.documents[order], keys)
    there = np.flatnonzero(documents >= 0)
    titles = np.zeros((len(precedents.documents), corpus.vectors.dimensions), dtype=np.float32)
    titles[order[documents[there]]] = corpus.vectors.vectors(there)
    if titles_of_last is not None and len(titles_of_last):
        titles[-len(titles_of_last) :] = titles_of_last
    _, venue, sizes = np.unique(corpus.columns.venues, return_inverse=True, return_counts=True)
    weights = precedents.citations[places[found]].astype(np.float64)
    citations = np.bincount(venue[found], weights, minlength=len(sizes))
    rate = venue_rates(np.asarray(citations, dtype=np.float64), sizes)[venue]
    rate[corpus.columns.venues == 0] = np.nan
    return Known(precedents, places.astype(np.int32), rows, titles, rate)


def venue_rates(citations: NDArray[np.number], sizes: NDArray[np.number]) -> Column:
    """Return how often papers of venues are cited, on average, of their citations and sizes."""
    return np.asarray(citations / (sizes + _VENUE_SHRINK), dtype=np.float32)


def precedent_figures(witness: Witness) -> dict[str, Column]:
    """Return the figures by which precedents name candidates, by their names in `RETRIEVED`."""
    return {
        "profile": np.asarray(witness.profile * (1 + 0.1 * np.log1p(witness.citations))),
        "alike_words_sum": witness.alike_words_sum,
        "together": damped(witness.together, witness.citations),
        "subject": damped(witness.subject, witness.citations),
    }
