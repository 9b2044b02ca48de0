"""Figures by how many papers a context cites, and by how often these are cited together."""

from __future__ import annotations

from cite_lsp.corpus.contexts import context_from_record
from cite_lsp.evaluate.tasks.local import RankedContext
from cite_lsp.evaluate.tasks.positives import citing_sections, positive_figures


def ranked(ranking: str, relevant: str) -> RankedContext:
    return RankedContext("c", tuple(ranking), tuple(relevant), related=False, unseen=None)


RESULTS = [
    ranked("ax", "a"),
    ranked("xb", "b"),
    ranked("axb", "ab"),  # often cited together
    ranked("axx", "ac"),  # once
    ranked("xxx", "cd"),  # never
]


def test_contexts_of_one_paper_and_of_several_have_figures_of_their_own() -> None:
    figures = positive_figures(RESULTS)
    assert list(figures) == ["one", "one or more", "two or more"]
    assert figures["one"] == {"contexts": 2, "recall@10": 1.0, "map@10": 0.75}
    several = {"contexts": 3, "recall@10": 0.5, "map@10": round((5 / 6 + 1 / 2) / 3, 4)}
    assert figures["two or more"] == several
    assert figures["one or more"]["recall@10"] == 0.7
    assert list(positive_figures(RESULTS[:1])) == ["one", "one or more"]


def test_papers_that_sections_cite_together_once_at_most_are_a_rare_pair() -> None:
    cited = [("d1", "I", "ab"), ("d1", "II", "a"), ("d1", "II", "b"), ("d2", "I", "abc")]
    rows = [
        context_from_record(
            {"context_id": "c", "citing_id": document, "section_title": title, "cited": list(names)}
        )
        for document, title, names in cited
    ]
    figures = positive_figures(RESULTS, citing_sections(rows))
    assert figures["two or more, rare"]["contexts"] == 2
    assert figures["two or more, frequent"]["recall@10"] == 1.0
