"""Of what the documents nearest to a draft cite in common, how much the draft cites."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.missing_references import CommonReference, Completeness
from cite_lsp.recommend.references.ranker import RankedPapers

COMMON = 0.2
"""Share of the nearest documents that must cite a paper for it to be common."""
_FEWEST = 3
"""Documents that must cite it anyway."""


def completeness_of(
    graph: CitationGraph,
    ranked: RankedPapers,
    missing_at: Callable[[int, int], Recommendation | None],
) -> Completeness:
    """Count the papers that the documents nearest to a draft cite in common.

    `missing_at` gives the paper that is missing at a row, cited by so many of them; None where the
    draft cites it after all, or never should.
    """
    near = np.zeros(len(graph.documents), dtype=np.float32)
    near[ranked.near] = 1.0
    fewest = max(_FEWEST, math.ceil(COMMON * len(ranked.near)))
    counts = graph.votes(near)
    common = np.flatnonzero(counts >= fewest)
    missing = common[~np.isin(graph.rows[common], ranked.query.cited)]
    missing = missing[np.argsort(-counts[missing], kind="stable")]
    references = []
    for place in missing.tolist():
        count = int(counts[place])
        recommendation = missing_at(int(graph.rows[place]), count)
        if recommendation is not None:
            references.append(CommonReference(recommendation, count))
    cited = len(common) - len(references)
    return Completeness(len(ranked.near), fewest, cited, len(common), tuple(references))
