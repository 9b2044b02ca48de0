"""Two-phase recommendation: which papers phase 1 finds, and how phase 2 orders them."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.method import MethodPaper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.published.two_phase import TwoPhase, nearest_cited, reordered, rounded
from tests.recommend.shores import TopicEncoder

PAPERS = [
    Paper("tide", "Tide tide tide"),
    Paper("tide-marsh", "Tide tide marsh", authors=("Rosa Luz",), year=2011),
    Paper("marsh", "Marsh marsh marsh", authors=("Rosa Luz",), year=2011),
    Paper("gull", "Gull"),
]
TIDE = Context(left="On the tide", right="")


@pytest.fixture
def papers() -> LibraryPapers:
    pool = Pool(PAPERS)
    pool.embed(TopicEncoder())
    return LibraryPapers(pool)


def names(ranked: list[MethodPaper]) -> list[str]:
    return [PAPERS[paper.row].id for paper in ranked]


def test_without_cited_papers_the_nearest_to_the_context_come_first(papers: LibraryPapers) -> None:
    ranked = TwoPhase().rank(TIDE, papers, TopicEncoder(), limit=3)
    assert names(ranked)[:2] == ["tide", "tide-marsh"]
    assert [reason.kind for reason in ranked[0].reasons] == ["phase-1"]
    assert ranked[0].score == pytest.approx(1.0, abs=1e-3)


def test_phase_2_puts_first_what_is_nearest_to_a_paper_of_the_section(
    papers: LibraryPapers,
) -> None:
    ranked = TwoPhase().rank(TIDE, papers, TopicEncoder(), limit=4, cited=[2])
    assert names(ranked)[0] == "tide-marsh"
    reason = ranked[0].reasons[0]
    assert (reason.kind, reason.papers) == ("phase-2", ("Luz 2011",))
    assert reason.value == pytest.approx(1 / np.sqrt(5), abs=1e-2)


def test_no_more_than_k_papers_are_reordered(papers: LibraryPapers) -> None:
    assert (
        names(TwoPhase(depth=1).rank(TIDE, papers, TopicEncoder(), limit=4, cited=[2]))[0] == "tide"
    )


def test_only_allowed_papers_are_ranked(papers: LibraryPapers) -> None:
    allowed = np.array([False, True, True, False])
    assert set(names(TwoPhase().rank(TIDE, papers, TopicEncoder(), limit=4, allowed=allowed))) == {
        "tide-marsh",
        "marsh",
    }


def test_a_paper_is_not_near_to_itself() -> None:
    same = np.array([[1.0, 0.0]], dtype=np.float32)
    nearest, beside = nearest_cited(same, same, np.array([7]), np.array([7]))
    assert (nearest.tolist(), beside.tolist()) == ([0.0], [-1])


def test_in_steps_phase_1_decides_within_a_step() -> None:
    first = np.array([0.9, 0.8, 0.7], dtype=np.float32)
    second = np.array([0.61, 0.65, 0.9], dtype=np.float32)
    assert reordered(first, second)[0].tolist() == [2, 1, 0]
    assert reordered(first, rounded(second))[0].tolist() == [2, 0, 1]


def test_what_phase_2_leaves_alone_stays_below_what_it_ordered() -> None:
    first = np.array([0.9, 0.8, 0.7, 0.6], dtype=np.float32)
    order, scores = reordered(first, np.array([-0.5, 0.1], dtype=np.float32))
    assert order.tolist() == [1, 0, 2, 3]
    assert (np.diff(scores) < 0).all()
