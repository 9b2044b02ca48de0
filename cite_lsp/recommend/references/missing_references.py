"""What is found for a draft as a whole: groups of papers, each with its place, and completeness."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from attrs import frozen

from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.model import Sentence
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.ranker import RankedPapers


@frozen
class PlaceInDraft:
    """Where a paper would be cited: a sentence of a file of the draft, and its section's title."""

    path: Path
    manuscript: Manuscript
    sentence: Sentence
    section: str


@frozen
class MissingReference:
    """A paper that a draft should cite and does not; `place` is None where there is no prose."""

    recommendation: Recommendation
    place: PlaceInDraft | None = None


@frozen
class ReferenceGroup:
    """Papers on one topic, best first; `name` are words that tell it from the other groups."""

    name: str
    references: tuple[MissingReference, ...]


@frozen
class CommonReference:
    """A paper that many of the documents nearest to a draft cite: `count` of them."""

    recommendation: Recommendation
    count: int


@frozen
class Completeness:
    """How much of what the documents nearest to a draft cite in common the draft cites.

    nearest: how many documents were looked at. fewest: how many of them cite a paper that counts.
    cited: those of these papers that the draft cites, `of` them all. missing: the others, those of
    most documents first.
    """

    nearest: int = 0
    fewest: int = 0
    cited: int = 0
    of: int = 0
    missing: tuple[CommonReference, ...] = ()


@frozen
class DraftReferences:
    """What a draft as a whole should cite and does not."""

    groups: tuple[ReferenceGroup, ...]
    completeness: Completeness
    papers: int
    """Papers that were looked at: those of the library that are not cited, and of the corpora."""


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
