"""What encoders learn from: which papers belong to an anchor, and which are no negatives."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cite_lsp.corpus.contexts import LabelledContext, context_from_record
from cite_lsp.corpus.edges import Edge
from cite_lsp.train.data.sampling import (
    Example,
    context_examples,
    graph_examples,
    random_negatives,
    section_examples,
    sections_of,
    some_of,
)

POOL = [f"p{number}" for number in range(12)]


def row(number: int, *cited: str, section: str = "Introduction", **fields: Any) -> LabelledContext:  # noqa: ANN401 - JSON
    record = {
        "context_id": f"c{number}",
        "citing_id": "citing",
        "left": " ".join(f"left{place}" for place in range(60)),
        "right": f"right{number} and more",
        "section_title": section,
        "cited": list(cited),
    }
    return context_from_record(record | fields)


def test_negatives_are_distinct_papers_of_the_pool_that_are_not_excluded() -> None:
    for seed in range(20):
        drawn = random_negatives(POOL, {"p0", "p1"}, 7, random.Random(seed))
        assert len(set(drawn)) == 7
        assert set(drawn) <= set(POOL[2:])


def test_where_the_pool_is_too_small_all_that_is_left_is_drawn() -> None:
    assert set(random_negatives(POOL[:3], {"p0"}, 7, random.Random(1))) == {"p1", "p2"}
    assert random_negatives([], set(), 3, random.Random(1)) == ()


def test_a_context_is_fifty_words_either_side_with_the_papers_it_cites() -> None:
    (example,) = context_examples([row(1, "p0", "p1", "unknown")], POOL, 3, seed=1)
    words = example.anchor.split()
    assert (words[0], words[49], words[50]) == ("left10", "left59", "right1")
    assert example.positives == ("p0", "p1")
    assert len(example.negatives) == 3


@pytest.mark.parametrize("negatives", [1, 3, 5, 7, 10])
def test_no_paper_that_the_document_cites_is_a_negative_of_its_contexts(negatives: int) -> None:
    rows = [row(number, f"p{number}") for number in range(2)]
    for example in context_examples([*rows, row(9, "p9", citing_id="p5")], POOL, negatives, 4):
        if "p9" in example.positives:
            assert not {"p9", "p5"} & set(example.negatives)
        else:
            assert not {"p0", "p1"} & set(example.negatives)
            assert len(example.negatives) == negatives


def test_each_positive_alone_keeps_all_negatives() -> None:
    example = Example("text", ("p0", "p1"), ("p2", "p3"))
    assert list(example.single()) == [
        Example("text", ("p0",), ("p2", "p3")),
        Example("text", ("p1",), ("p2", "p3")),
    ]


def test_the_same_seed_draws_the_same_negatives_and_another_one_others() -> None:
    rows = [row(number, f"p{number}") for number in range(3)]
    assert context_examples(rows, POOL, 5, 1) == context_examples(rows, POOL, 5, 1)
    assert context_examples(rows, POOL, 5, 1) != context_examples(rows, POOL, 5, 2)


def test_every_pair_of_papers_of_a_section_is_an_example() -> None:
    rows = [row(1, "p0", "p1"), row(2, "p2"), row(3, "p1", "p3", section="Method")]
    examples = section_examples(rows, POOL, 2, seed=1)
    pairs = [frozenset((example.anchor, *example.positives)) for example in examples]
    assert pairs == [
        frozenset(("p0", "p1")),
        frozenset(("p0", "p2")),
        frozenset(("p1", "p2")),
        frozenset(("p1", "p3")),
    ]
    for example in examples[:3]:
        assert not {"p0", "p1", "p2"} & set(example.negatives)
        assert len(example.negatives) == 2


def test_two_sections_of_one_title_are_two_sections() -> None:
    rows = [row(1, "p0"), row(2, "p1", section="Method"), row(3, "p2")]
    assert sections_of(rows) == [("p0",), ("p1",), ("p2",)]
    assert section_examples(rows, POOL, 1, 1) == []


def test_a_citation_of_the_graph_is_an_example_without_what_else_its_paper_cites() -> None:
    edges = [Edge("p0", "p1"), Edge("p0", "p2"), Edge("p0", "p1"), Edge("x", "p3"), Edge("p4", "x")]
    examples = graph_examples(edges, POOL, 9, seed=1)  # all that are left
    assert [(example.anchor, example.positives) for example in examples] == [
        ("p0", ("p1",)),
        ("p0", ("p2",)),
    ]
    assert all(not {"p0", "p1", "p2"} & set(example.negatives) for example in examples)


@pytest.mark.parametrize("rows", [1, 100, 149, 150, 199, 200, 249, 250, 12_345])
def test_a_sample_of_rows_has_about_its_size_and_is_from_everywhere(rows: int) -> None:
    some = some_of(range(rows), 100)
    wanted = min(rows, 100)
    assert 2 / 3 * wanted <= len(some) <= 3 / 2 * wanted
    assert some == list(range(0, rows, some[1] if len(some) > 1 else 1))
