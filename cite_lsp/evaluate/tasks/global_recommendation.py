"""Task `global`: a paper's title and abstract, a pool of papers, which of them are its references.

The task of Kieu et al. ("Learning neural textual representations for citation recommendation", ICPR
2020). It is task `local` with whole papers as queries: nothing is cited yet, and papers that are
newer than the citing one are no candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.reference_lists import ReferenceList, as_context
from cite_lsp.evaluate.metrics import intervals, mean_figures, score_ranking
from cite_lsp.evaluate.tasks.local import RankedContext
from cite_lsp.recommend.references.citation_graph import CitationGraph, graph_of_lists
from cite_lsp.search.corpus.corpus_index import CorpusIndex

CUTOFFS = (5, 10, 20, 30, 50, 80, 100)
INTERVALS = ("map@100", "mrr@100", "recall@10")
"""Figures that are given with a 95 % bootstrap interval over the lists."""


def askable(
    lists: Sequence[ReferenceList], corpus: CorpusIndex, report: Callable[[str], None]
) -> list[LabelledContext]:
    """Return lists as contexts; one whose paper has no title or abstract is passed to `report`."""
    rows = []
    for item in lists:
        place = corpus.row_of.get(item.citing_id)
        row = as_context(item, None if place is None else corpus.paper(place))
        if row.context.title or row.context.abstract:
            rows.append(row)
        else:
            report(
                f"{item.list_id}: neither the list nor the papers have its title; it is left out"
            )
    return rows


def authors_by_title(
    rows: Sequence[LabelledContext], corpus: CorpusIndex
) -> dict[str, tuple[str, ...]]:
    """Return the authors of the citing papers, as far as the pool has these, by their titles."""
    places = ((row.context.title, corpus.row_of.get(row.citing_id)) for row in rows)
    return {title: corpus.paper(place).authors for title, place in places if place is not None}


def known_citations(lists: Sequence[ReferenceList], corpus: CorpusIndex) -> CitationGraph:
    """Return what lists cite among the papers of a pool."""
    row_of = corpus.row_of
    cited = [
        np.array([row_of[name] for name in item.cited if name in row_of], dtype=np.int64)
        for item in lists
    ]
    documents = np.array([row_of.get(item.citing_id, -1) for item in lists], dtype=np.int64)
    years = np.array([item.year or 0 for item in lists], dtype=np.int32)
    return graph_of_lists(documents, years, cited)


def reference_figures(results: Sequence[RankedContext]) -> dict[str, float]:
    """Average MAP, MRR, and recall, precision and F1 at several k over lists."""
    return {"lists": len(results)} | mean_figures([_scored(result) for result in results])


def reference_intervals(results: Sequence[RankedContext]) -> dict[str, list[float]]:
    """Return the 95 % bootstrap intervals of the figures named by `INTERVALS`."""
    return intervals([_scored(result) for result in results], INTERVALS)


def _scored(result: RankedContext) -> Mapping[str, float]:
    figures = score_ranking(result.ranking, result.relevant, CUTOFFS)
    relevant = len(result.relevant)
    return figures | {f"precision@{k}": figures[f"recall@{k}"] * relevant / k for k in CUTOFFS}
