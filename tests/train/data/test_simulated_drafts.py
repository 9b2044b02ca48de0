"""Simulated drafts: libraries with papers nobody cites, markers with nothing written below them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from cite_lsp.corpus.contexts import LabelledContext, context_from_record, documents
from cite_lsp.paper import Paper
from cite_lsp.train.data import simulated_drafts
from cite_lsp.train.data.simulated_drafts import RankingTask, simulate_library, simulate_tasks

PAPERS = {f"p{n}": Paper(f"p{n}", f"Title {n}", f"Abstract {n}") for n in range(600)}
NAMES = sorted(PAPERS)


def document(markers: int = 12) -> list[LabelledContext]:
    """A document in which marker n cites papers n and n+1, the third also one nobody knows."""
    rows = []
    for n in range(markers):
        section = [f"p{m}" for m in range(markers + 1) if m not in (n, n + 1)]
        record = {
            "context_id": f"c{n}",
            "citing_id": "d",
            "left": f"left {n}",
            "right": f"right {n}",
            "section_title": "S",
            "cited": [f"p{n}", f"p{n + 1}", *(["unknown"] if n == 2 else [])],
            "section_cited": section,
            "section_cited_before": [f"p{m}" for m in range(n + 1) if m not in (n, n + 1)],
        }
        rows.append(context_from_record(record))
    return documents(rows)[0]


def tasks(count: int = 40) -> list[RankingTask]:
    return [
        task
        for seed in range(count)
        for task in simulate_tasks(document(), 12, random.Random(seed))
    ]


def order_of(task: RankingTask) -> int:
    return int(task.context.left.removeprefix("left "))


@pytest.mark.parametrize("seed", range(12))
def test_a_library_holds_what_the_document_cites_and_more(seed: int) -> None:
    pool = simulate_library(document(), PAPERS, NAMES, random.Random(seed))
    cited = {f"p{n}" for n in range(13)}
    assert cited <= set(pool.names)
    assert len(set(pool.names)) == len(pool)
    assert len(pool) - 13 in {round(ratio * 13) for ratio in simulated_drafts.UNCITED_RATIOS}


def test_most_libraries_hold_uncited_papers_in_no_telling_order() -> None:
    pools = [simulate_library(document(), PAPERS, NAMES, random.Random(n)) for n in range(60)]
    sizes = {len(pool) for pool in pools}
    assert min(sizes) == 13 and max(sizes) == 13 * 5
    cited = {f"p{n}" for n in range(13)}
    large = [pool.names for pool in pools if len(pool) > 26]
    assert any(names[0] not in cited for names in large)
    assert any(names[0] in cited for names in large)


def test_most_libraries_carry_no_abstracts_and_some_carry_all() -> None:
    pools = [simulate_library(document(), PAPERS, NAMES, random.Random(n)) for n in range(60)]
    shares = [float(pool.has_abstract.mean()) for pool in pools]
    assert set(shares) == {0.0, 1.0}
    assert 0.5 < shares.count(0.0) / 60 < 0.9


@pytest.mark.parametrize("seed", range(12))
def test_uncited_papers_are_drawn_from_the_nearest(seed: int) -> None:
    pool = simulate_library(document(), PAPERS, iter(NAMES), random.Random(seed))
    extra = set(pool.names) - {f"p{n}" for n in range(13)}
    near = [name for name in NAMES if int(name[1:]) > 12][
        : len(extra) * simulated_drafts.DRAWN_FROM
    ]
    assert extra <= set(near)


def test_a_pool_to_draw_from_may_be_small() -> None:
    pool = simulate_library(document(), PAPERS, NAMES[:3], random.Random(1))
    assert 13 <= len(pool) <= 16


def test_no_more_markers_are_masked_than_wanted_and_in_their_order() -> None:
    drawn = simulate_tasks(document(), 5, random.Random(1))
    assert len(drawn) == 5
    assert [order_of(task) for task in drawn] == sorted({order_of(task) for task in drawn})
    empty = context_from_record({"context_id": "x", "cited": []})
    assert simulate_tasks([empty], 5, random.Random(1)) == []


def forward(drawn: Sequence[RankingTask]) -> list[RankingTask]:
    """Return the tasks at which later markers are not known; at the last marker none ever are."""
    return [task for task in drawn if order_of(task) < 11 and not later(task)]


def later(task: RankingTask) -> list[int]:
    return [mention.order for mention in task.context.mentions if mention.order > order_of(task)]


def test_half_of_the_markers_hold_nothing_from_below() -> None:
    drawn = [task for task in tasks() if order_of(task) < 11]
    above = forward(drawn)
    assert 0.35 < len(above) / len(drawn) < 0.65
    for task in above:
        before = {f"p{n}" for n in range(order_of(task))}
        assert set(task.context.section_cited) == before
        assert {mention.order for mention in task.context.mentions} == set(range(order_of(task)))
        assert task.context.next == ""
    empty = [task.context.right == "" for task in above]
    assert 0.4 < sum(empty) / len(empty) < 0.8


def test_the_others_hold_all_of_the_document() -> None:
    for task in tasks(5):
        if later(task):
            assert len(task.context.mentions) == 11
            assert task.context.right == f"right {order_of(task)}"


def test_some_markers_have_all_but_one_of_their_papers_in_place() -> None:
    drawn = tasks()
    given = [task for task in drawn if task.context.marker_cited]
    assert 0.2 < len(given) / len(drawn) < 0.4
    for task in drawn:
        cited = document()[order_of(task)].cited
        assert set(task.relevant) | set(task.context.marker_cited) == set(cited)
        assert not set(task.relevant) & set(task.context.marker_cited)
        assert len(task.relevant) == (1 if task.context.marker_cited else len(cited))


def test_the_same_seed_makes_the_same_drafts() -> None:
    first, second = (simulate_tasks(document(), 6, random.Random("13 d")) for _ in range(2))
    assert first == second
    libraries = [simulate_library(document(), PAPERS, NAMES, random.Random(3)) for _ in range(2)]
    assert libraries[0].names == libraries[1].names
