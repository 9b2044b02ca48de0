"""Lists of references: what a row must have, and what is asked with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.corpus.formats.json_lines import RecordError
from cite_lsp.corpus.reference_lists import as_context, read_reference_lists
from cite_lsp.paper import Paper

LIST = {"citing_id": "a", "year": 2011, "refs": ["b", "c", "b"]}


def written(folder: Path, *rows: Any) -> Path:  # noqa: ANN401 - JSON
    path = folder / "lists.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_list_names_its_paper_its_year_and_every_reference_once(tmp_path: Path) -> None:
    (reference_list,) = read_reference_lists(written(tmp_path, LIST))
    assert (reference_list.list_id, reference_list.citing_id, reference_list.year) == (
        "a",
        "a",
        2011,
    )
    assert reference_list.cited == ("b", "c")


def test_a_list_may_have_an_id_and_describe_its_paper(tmp_path: Path) -> None:
    row = {"context_id": "7", "citing_id": "a", "cited": ["b"], "title": "A\n title"}
    (reference_list,) = read_reference_lists(written(tmp_path, row))
    assert (
        reference_list.list_id,
        reference_list.cited,
        reference_list.title,
        reference_list.year,
    ) == ("7", ("b",), "A title", None)


def test_a_year_may_be_written_as_that_of_a_paper_may(tmp_path: Path) -> None:
    rows = ({**LIST, "year": year} for year in ("2011", 2011.0, "n.d.", True))
    assert [
        reference_list.year for reference_list in read_reference_lists(written(tmp_path, *rows))
    ] == [
        *(2011, 2011),
        *(None, None),
    ]


@pytest.mark.parametrize(
    "row", [{"citing_id": "a"}, {"refs": ["b"]}, {"citing_id": "", "refs": []}]
)
def test_a_row_that_is_no_list_is_reported_with_its_line(tmp_path: Path, row: Any) -> None:  # noqa: ANN401
    path = written(tmp_path, row, LIST)
    messages: list[str] = []
    assert len(list(read_reference_lists(path, messages.append))) == 1
    assert messages == [f"{path}:1: a list needs `citing_id` and `refs`; the row is skipped"]
    with pytest.raises(RecordError, match="lists.jsonl:1: a list needs"):
        list(read_reference_lists(path))


def test_the_query_is_the_title_and_the_abstract_of_the_citing_paper(tmp_path: Path) -> None:
    (reference_list,) = read_reference_lists(written(tmp_path, {**LIST, "year": None}))
    row = as_context(reference_list, Paper("a", "The title", "The abstract.", year=2012))
    context = row.context
    assert (context.left, context.right) == ("The title.", "The abstract.")
    assert (row.year, row.cited, row.citing_id) == (2012, ("b", "c"), "a")
    assert not as_context(reference_list, None).context.title
