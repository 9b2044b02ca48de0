"""Papers from JSON Lines: what is there is read, what is missing or odd is left empty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.corpus.formats.json_lines import RecordError
from cite_lsp.corpus.formats.papers import paper_from_record, read_papers
from cite_lsp.paper import Paper

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
FIELDS = ["id", "title", "abstract", "authors", "year", "venue", "doi", "url", "language"]


def paper(**fields: Any) -> Paper:  # noqa: ANN401 - whatever JSON holds
    read = paper_from_record({"id": "p1", "title": "On tides", **fields})
    assert read is not None
    return read


def test_every_field_is_read() -> None:
    record = {
        "id": "p1",
        "title": "On  tides\nand marshes",
        "abstract": "They rise.",
        "authors": ["Ada Moor", "Bo Fen"],
        "year": 2011,
        "venue": "Shores",
        "doi": "https://doi.org/10.1234/AbC",
        "url": "https://example.org/p1",
        "language": "en",
    }
    assert paper_from_record(record) == Paper(
        id="p1",
        title="On tides and marshes",
        abstract="They rise.",
        authors=("Ada Moor", "Bo Fen"),
        year=2011,
        venue="Shores",
        doi="10.1234/abc",
        url="https://example.org/p1",
        language="en",
    )


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"id": "p1"},
        {"title": "On tides"},
        {"id": "", "title": "On tides"},
        {"id": None, "title": "On tides"},
        {"id": ["p1"], "title": "On tides"},
        {"id": "p1", "title": "  "},
        {"id": "p1", "title": 7},
    ],
)
def test_without_id_or_title_there_is_no_paper(record: dict[str, Any]) -> None:
    assert paper_from_record(record) is None


def test_a_number_is_an_id_too() -> None:
    assert paper(id=0).id == "0"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["Ada Moor", " Bo Fen "], ("Ada Moor", "Bo Fen")),
        ([{"name": "Ada Moor", "id": 3}, {"name": "Bo Fen"}], ("Ada Moor", "Bo Fen")),
        ("Moor, Ada and Fen, Bo", ("Moor, Ada", "Fen, Bo")),
        ("Moor, Ada; Fen, Bo;", ("Moor, Ada", "Fen, Bo")),
        ([None, "", {"id": 3}, 5, "Bo Fen"], ("Bo Fen",)),
        ({"name": "Ada Moor"}, ()),
        (None, ()),
    ],
)
def test_authors_are_a_list_of_names_or_of_objects_or_one_string(
    written: object, read: tuple[str, ...]
) -> None:
    assert paper(authors=written).authors == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (2011, 2011),
        (2011.0, 2011),
        ("2011", 2011),
        (" 2011-05-01", 2011),
        (0, None),
        (-5, None),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        (1_300_000_000_000, None),
        ("in press", None),
        (None, None),
    ],
)
def test_a_year_is_a_year_however_written_or_nothing(written: object, read: int | None) -> None:
    assert paper(year=written).year == read


@pytest.mark.parametrize(
    ("written", "read"),
    [("en", "en"), ("English", "en"), ("zh-CN", "zh"), ("Klingon", "Klingon"), (None, "")],
)
def test_a_language_is_a_code_or_a_name(written: object, read: str) -> None:
    assert paper(language=written).language == read


@pytest.mark.parametrize(
    "written", ["1706.03762", "arXiv:1706.03762", "https://arxiv.org/abs/1706.03762"]
)
def test_the_number_of_a_preprint_may_stand_behind_its_name(written: str) -> None:
    assert paper(arxiv=written).arxiv == "1706.03762"


@pytest.mark.parametrize("authors", ["Ada Moor and others", ["Ada Moor", {"name": "others"}]])
def test_others_are_no_name_but_more_authors(authors: object) -> None:
    read = paper(authors=authors)
    assert (read.authors, read.more_authors) == (("Ada Moor",), True)


def test_half_a_character_does_not_get_into_a_paper() -> None:
    record = json.loads('{"id": "p\\ud83d", "title": "On \\ud83d tides", "authors": ["A\\udc00"]}')
    read = paper_from_record(record)
    assert read is not None
    assert (read.id, read.title, read.authors) == ("p?", "On ? tides", ("A?",))


@given(st.dictionaries(st.sampled_from(FIELDS), ANYTHING))
def test_no_record_raises(record: dict[str, Any]) -> None:
    read = paper_from_record(record)
    assert read is None or (read.id and read.title)


def test_a_bad_record_is_reported_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "papers.jsonl"
    path.write_text('{"id": 1, "title": "A"}\n{"id": 2}\noops\n{"id": 3, "title": "C"}\n')
    messages: list[str] = []
    assert [read.title for read in read_papers(path, messages.append)] == ["A", "C"]
    assert messages[0] == f"{path}:2: a paper needs `id` and `title`; the record is skipped"
    assert messages[1].startswith(f"{path}:3: not JSON")


def test_without_a_report_a_bad_record_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "papers.jsonl"
    path.write_text('{"id": 2}\n')
    with pytest.raises(RecordError, match="needs `id` and `title`"):
        list(read_papers(path))
