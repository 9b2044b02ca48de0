"""The last completion lists are stored, and older ones are forgotten."""

from __future__ import annotations

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import CitedFor, Recommendation
from cite_lsp.server.session.completion_lists import CompletionLists

PAPERS = tuple(Recommendation(Paper(name, name), 0.5) for name in ("terns", "gulls"))
TIDES = CitedFor("Tides rise.", "On tides")


def test_a_recommendation_is_found_by_its_list_and_its_rank() -> None:
    sent_lists = CompletionLists()
    first, second = (
        sent_lists.remember(PAPERS, TIDES),
        sent_lists.remember(PAPERS[::-1], CitedFor()),
    )
    assert [sent_lists.recall(first, rank) for rank in (0, 1)] == [
        (paper, TIDES) for paper in PAPERS
    ]
    assert sent_lists.recall(second, 0) == (PAPERS[1], CitedFor())


def test_there_is_none_beyond_a_list_nor_in_a_list_that_never_was() -> None:
    sent_lists = CompletionLists()
    number = sent_lists.remember(PAPERS, TIDES)
    for other, rank in ((number, 2), (number, -1), (number + 1, 0)):
        assert sent_lists.recall(other, rank) is None


def test_old_lists_are_forgotten_and_the_last_ones_are_not() -> None:
    sent_lists = CompletionLists()
    numbers = [sent_lists.remember(PAPERS, TIDES) for _ in range(100)]
    assert len(set(numbers)) == 100
    assert sent_lists.recall(numbers[0], 0) is None
    assert sent_lists.recall(numbers[-10], 0) == (PAPERS[0], TIDES)
