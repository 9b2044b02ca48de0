"""Of what the documents nearest to a draft cite in common, how much the draft cites."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.ranker import RankedPapers

COMMON = 0.2
"""Share of the nearest documents that must cite a paper for it to be common."""
_FEWEST = 3
"""Documents that must cite it anyway."""


@frozen
class Counted:
    """The common papers: how many there are, and the rows not cited, with their documents.

    nearest: documents that were looked at. fewest: how many of them cite a common paper at least.
    """

    nearest: int
    fewest: int
    of: int
    missing: tuple[tuple[int, int], ...]


def completeness_of(graph: CitationGraph, ranked: RankedPapers) -> Counted:
    """Count the papers that the documents nearest to a draft cite in common."""
    near = np.zeros(len(graph.documents), dtype=np.float32)
    near[ranked.near] = 1.0
    fewest = max(_FEWEST, math.ceil(COMMON * len(ranked.near)))
    counts = graph.votes(near)
    common = np.flatnonzero(counts >= fewest)
    missing = common[~np.isin(graph.rows[common], ranked.query.cited)]
    missing = missing[np.argsort(-counts[missing], kind="stable")]
    rows = tuple((int(graph.rows[place]), int(counts[place])) for place in missing)
    return Counted(len(ranked.near), fewest, len(common), rows)
