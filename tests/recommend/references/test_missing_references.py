"""How much of what near documents cite in common a draft cites."""

from __future__ import annotations

import numpy as np

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.references.citation_graph import graph_of_lists
from cite_lsp.recommend.references.draft_text import DraftText, query_of
from cite_lsp.recommend.references.missing_references import completeness_of
from cite_lsp.recommend.references.ranker import RankedPapers


def ranked(near: list[int], cited: list[int]) -> RankedPapers:
    none = np.zeros(0, dtype=np.int64)
    scores = np.zeros(0, dtype=np.float32)
    query = query_of(DraftText("Any"), None, cited)
    return RankedPapers(none, scores, np.zeros((0, 1), np.float32), np.array(near), query)


def missing_at(row: int, count: int) -> Recommendation:
    return Recommendation(Paper(str(row), ""), 0.0)


def test_papers_that_three_or_a_fifth_of_the_nearest_cite_are_common() -> None:
    cited = [np.array([7, 8, 9])] * 3 + [np.array([8, 9])] + [np.array([9, 5])]
    graph = graph_of_lists(np.arange(5), np.zeros(5, dtype=np.int32), cited)
    counted = completeness_of(graph, ranked([0, 1, 2, 3, 4], [8]), missing_at)
    assert (counted.nearest, counted.fewest, counted.of) == (5, 3, 3)
    missing = [(item.recommendation.paper.id, item.count) for item in counted.missing]
    assert missing == [("9", 5), ("7", 3)] and counted.cited == 1
    assert completeness_of(graph, ranked([3, 4], [8]), missing_at).of == 0
    many = graph_of_lists(np.arange(20), np.zeros(20, np.int32), cited * 4)
    assert completeness_of(many, ranked(list(range(20)), []), missing_at).fewest == 4
