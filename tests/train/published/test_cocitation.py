"""What MP-BERT4CR learns from: who stands beside a paper, and what a context says each time."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from cite_lsp.corpus.contexts import LabelledContext, context_from_record, documents
from cite_lsp.train.published.cocitation import (
    CONFUSED,
    CocitationNoise,
    ContentExamples,
    NegativePapers,
    cocited_in_sections,
    companion_examples,
    dynamic_context,
)

POOL = [f"p{number}" for number in range(30)]


def row(number: int, *cited: str, **fields: Any) -> LabelledContext:  # noqa: ANN401 - JSON
    record = {
        "context_id": f"c{number}",
        "citing_id": "citing",
        "citing_title": "The draft",
        "left": f"left{number}",
        "right": f"right{number}",
        "section_title": "The section",
        "cited": list(cited),
    }
    return context_from_record(record | fields)


def drawn(noise: CocitationNoise, name: str, excluded: set[str] | None = None) -> Counter[str]:
    rng = random.Random(1)
    return Counter(
        paper for _ in range(8000) for paper in noise.draw(name, excluded or set(), 1, rng)
    )


@pytest.mark.parametrize("power", [0.0, 0.75, 1.0])
def test_company_is_drawn_by_its_frequency_to_some_power(power: float) -> None:
    noise = CocitationNoise([("p0", "p1")] * 16 + [("p0", "p2")], power)
    counts = drawn(noise, "p0")
    assert set(counts) == {"p1", "p2"}
    assert counts["p1"] / counts["p2"] == pytest.approx(16**power, rel=0.15)
    assert set(drawn(noise, "p1")) == {"p0"}


def test_no_excluded_paper_is_drawn_and_none_where_there_is_no_company() -> None:
    noise = CocitationNoise([("p0", "p1", "p1", "p2"), ("p3",)])
    assert set(drawn(noise, "p0", {"p1"})) == {"p2"}
    for name in ("p3", "unknown"):
        assert noise.draw(name, (), 3, random.Random(1)) == ()
    assert noise.draw("p0", {"p1", "p2"}, 3, random.Random(1)) == ()
    assert set(noise.draw("p0", (), 3, random.Random(1))) == {"p1", "p2"}


def companions(rows: list[LabelledContext]) -> set[tuple[str, ...]]:
    negatives = NegativePapers(POOL, 2, CocitationNoise([]))
    return {
        example.positives
        for seed in range(20)
        for example in companion_examples(rows, negatives, seed)
    }


def test_the_companion_is_another_paper_of_the_marker_or_the_paper_itself() -> None:
    rows = [row(1, "p0", "p1", "p2", "elsewhere"), row(2, "p3")]
    pairs = companions(rows)
    assert {pair for pair in pairs if pair[0] == "p0"} == {("p0", "p1"), ("p0", "p2")}
    assert {pair for pair in pairs if pair[0] == "p3"} == {("p3", "p3")}


def test_no_paper_that_the_document_cites_is_a_negative_be_it_once_cited_together() -> None:
    rows = [
        row(1, "p0", "p1"),
        row(2, "p2"),
        row(3, "p0", "p9", citing_id="other"),
        row(4, "p1", "p2", citing_id="other"),
    ]
    noise = CocitationNoise(cocited_in_sections(rows, set(POOL)))
    for seed in range(20):
        for example in companion_examples(rows, NegativePapers(POOL, 7, noise), seed):
            own = {"p0", "p1", "p2"} | ({"p9"} if "p9" in example.positives else set())
            assert len(set(example.negatives)) == 7
            assert not own & set(example.negatives)


def test_some_negatives_are_papers_that_others_cite_together_with_the_paper() -> None:
    company = [f"p{number}" for number in range(10, 20)]
    noise = CocitationNoise([("p0", *company)])
    for count, expected in ((7, CONFUSED), (1, 1)):
        (example,) = companion_examples([row(1, "p0")], NegativePapers(POOL, count, noise), 1)
        assert len(set(example.negatives)) == count
        assert len(set(company) & set(example.negatives[:expected])) == expected
    (example,) = companion_examples([row(1, "p1")], NegativePapers(POOL[:9], 7, noise), 1)
    assert len(set(example.negatives)) == 7


def test_a_dynamic_context_is_the_marker_and_now_this_now_that_of_the_manuscript() -> None:
    (document,) = documents([row(1, "p0"), row(2, "p1")])
    said = {dynamic_context(document[0], document, random.Random(number)) for number in range(200)}
    assert all(text.startswith("left1 right1") for text in said)
    endings = {text.removeprefix("left1 right1").removeprefix(". ") for text in said}
    neighbour, titles = "left2 right2", ("The section", "The draft")
    assert endings == {
        ". ".join(part for part, there in zip((neighbour, *titles), mask, strict=True) if there)
        for mask in [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    }


def contents(rows: list[LabelledContext], sentences: int = 12) -> ContentExamples:
    return ContentExamples(rows, NegativePapers(POOL, 3, CocitationNoise([])), sentences)


def test_an_example_has_all_papers_of_its_marker_and_is_drawn_anew_from_the_seed() -> None:
    examples = contents([row(1, "p0", "p1", "elsewhere"), row(2, "p2"), row(3, "elsewhere")])
    assert len(examples) == 2
    first = examples.draw("a")
    assert [example.positives for example in first] == [("p0", "p1"), ("p2",)]
    assert all(not {"p0", "p1", "p2"} & set(example.negatives) for example in first)
    assert first == examples.draw("a") != examples.draw("b")


def test_a_content_is_its_three_sentences_with_some_of_the_section_and_the_titles() -> None:
    left = "Far away. Gulls nest. They were seen"
    rows = [
        row(1, "p0", left=left, right=". Tides rise. None came."),
        row(2, "p1", left="Terns dive", right="."),
        row(3, "p2", left="Elsewhere", right=".", section_title="Another"),
    ]
    examples = contents(rows)
    drawn = [examples.draw(str(seed))[0].anchor.split("\n\n") for seed in range(200)]
    assert all(part[:3] == ["Gulls nest.", "They were seen .", "Tides rise."] for part in drawn)
    said = {sentence for part in drawn for sentence in part[3:]}
    assert said == {"Far away.", "None came.", "Terns dive .", "The section", "The draft"}
    assert {len(part) for part in drawn} == {3, 4, 5, 6, 7, 8}
    assert all(len(example.anchor.split("\n\n")) <= 5 for example in contents(rows, 5).draw("a"))
