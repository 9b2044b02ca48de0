"""Contexts of finished papers, English and Chinese, and what those of one document share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.corpus.contexts import context_from_record, documents, read_contexts
from cite_lsp.corpus.formats.json_lines import RecordError

ENGLISH = {
    "context_id": "e-001",
    "source": "made-up",
    "citing_id": "paper:tides",
    "citing_title": "Tides of the north",
    "year": 2014,
    "section_title": "Related Work",
    "related": True,
    "left": "Marsh plants trap silt, as was first shown by",
    "right": "in a flume.",
    "cited": ["p1", "p2", "p1"],
    "cited_abs": ["p1"],
    "section_cited": ["p3", "p1"],
    "section_cited_before": ["p3"],
}
CHINESE = {
    "context_id": "z-001",
    "doc_id": "thesis-7",
    "chapter_title": "绪论",
    "section_title": "",
    "left": "潮滩植物能够固定泥沙",
    "right": "，这一点已有大量研究。",
    "sentence": "潮滩植物能够固定泥沙，这一点已有大量研究。",
    "abstract_zh": "本文研究潮滩。",
    "cited": ["p9"],
}


def row(context_id: str, document: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"context_id": context_id, "citing_id": document, "left": "l", "right": "r", **fields}


def test_an_english_row_is_read() -> None:
    row_read = context_from_record(ENGLISH)
    assert (row_read.context_id, row_read.citing_id) == ("e-001", "paper:tides")
    assert row_read.cited == ("p1", "p2")
    assert row_read.cited_abs == ("p1",)
    assert (row_read.year, row_read.related, row_read.source) == (2014, True, "made-up")
    context = row_read.context
    assert context.left.endswith("first shown by") and context.right == "in a flume."
    assert (context.section_title, context.title) == ("Related Work", "Tides of the north")
    assert (context.section_cited, context.section_cited_before) == (("p3", "p1"), ("p3",))
    assert (context.language, context.year) == ("en", 2014)


def test_a_chinese_row_is_read() -> None:
    row_read = context_from_record(CHINESE)
    assert (row_read.citing_id, row_read.cited, row_read.cited_abs) == ("thesis-7", ("p9",), ())
    context = row_read.context
    assert context.sentence.startswith("潮滩植物")
    assert (context.section_title, context.abstract) == ("绪论", "本文研究潮滩。")
    assert (context.language, context.year) == ("zh", None)


def test_fields_of_the_wrong_kind_are_left_empty() -> None:
    row_read = context_from_record(
        {"context_id": 5, "left": None, "cited": "p1", "year": [2014], "section_cited": {"p": 1}}
    )
    assert (row_read.context_id, row_read.citing_id) == ("5", "5")
    assert (row_read.cited, row_read.year, row_read.context.left) == ((), None, "")


@pytest.mark.parametrize("year", ["2014", "2014-05", 2014.0])
def test_a_year_may_be_written_as_that_of_a_paper_may(year: object) -> None:
    row_read = context_from_record({**ENGLISH, "year": year})
    assert (row_read.year, row_read.context.year) == (2014, 2014)


def test_a_row_without_its_id_is_reported_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "contexts.jsonl"
    rows = [ENGLISH, {"left": "nameless"}, CHINESE]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    messages: list[str] = []
    assert [row_read.context_id for row_read in read_contexts(path, messages.append)] == [
        "e-001",
        "z-001",
    ]
    assert messages == [f"{path}:2: a context needs `context_id`; the row is skipped"]
    with pytest.raises(RecordError, match=":2: a context needs"):
        list(read_contexts(path))


def test_every_context_knows_all_other_markers_of_its_document_and_no_others() -> None:
    rows = [
        context_from_record(row("a1", "a", left="one", cited=["p1"], section_title="S")),
        context_from_record(row("a2", "a", left="two", cited=["p2", "p3"], section_title="S")),
        context_from_record(row("a3", "a", left="three", cited=["p1"], section_title="T")),
        context_from_record(row("b1", "b", left="four", cited=["p4"], section_title="S")),
    ]
    first, second = documents(rows)
    assert [row_read.context_id for row_read in first] == ["a1", "a2", "a3"]
    assert [row_read.context.order for row_read in first] == [0, 1, 2]
    middle = first[1].context
    assert [(m.left, m.keys, m.order) for m in middle.mentions] == [
        ("one", ("p1",), 0),
        ("three", ("p1",), 2),
    ]
    assert [m.section == middle.section for m in middle.mentions] == [True, False]
    assert second[0].context.mentions == ()


def test_two_sections_of_one_title_are_two_sections() -> None:
    titles = ["", "Results", "Results", "Discussion", "Results"]
    rows = [
        context_from_record(row(f"a{number}", "a", section_title=title))
        for number, title in enumerate(titles)
    ]
    sections = [row_read.context.section for row_read in documents(rows)[0]]
    assert len(set(sections)) == 4
    assert sections[1] == sections[2] != sections[4]
