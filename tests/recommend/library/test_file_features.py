"""Where papers stand in the bibliography file, beside those that are cited near a place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cite_lsp.manuscript import Context, Mention
from cite_lsp.recommend.library.cited_rows import cited_rows
from cite_lsp.recommend.library.file_features import FILE_FEATURES, file_features

SIZE = 200
ROW_OF = {f"p{row}": row for row in range(SIZE)}


def file_columns(cited: list[str], order: int, **more: Any) -> dict[str, np.ndarray]:  # noqa: ANN401 - handed on
    mentions = [
        Mention(tuple(keys.split()), "", "", place if place < order else place + 1, "s")
        for place, keys in enumerate(cited)
    ]
    context = Context(left="", right="", mentions=tuple(mentions), order=order, **more)
    columns = file_features(context, cited_rows(context.mentions, ROW_OF).in_order, ROW_OF, SIZE)
    assert tuple(columns) == FILE_FEATURES
    assert all(column.shape == (SIZE,) for column in columns.values())
    return columns


def test_entries_are_counted_to_the_nearest_that_is_cited_beside_the_place() -> None:
    result = file_columns(["p3", "p10 p14", "p20"], 2)
    assert result["file_previous"][[9, 11, 12, 15]].tolist() == [1, 1, 2, 1]
    assert result["file_previous"][[10, 14]].tolist() == [4, 4]  # not to itself
    assert result["file_next"][[19, 25]].tolist() == [1, 5]
    assert np.isnan(result["file_next"][20])  # nothing else is cited there
    assert result["file_around"][[4, 20]].tolist() == [1, 6]


def test_the_section_and_the_marker_itself_count_apart() -> None:
    result = file_columns([], 0, section_cited=("p5", "p9"), marker_cited=("p30", "unknown"))
    assert result["file_section"][[5, 7]].tolist() == [4, 2]
    assert result["file_companion"][31] == 1
    assert np.isnan(result["file_previous"]).all() and np.isnan(result["file_around"]).all()


def test_the_habit_is_what_the_other_markers_show() -> None:
    filed = file_columns([f"p{row}" for row in range(20)], 20)["file_habit"]
    sorted_by_name = file_columns([f"p{row * 37 % SIZE}" for row in range(20)], 20)["file_habit"]
    assert filed[0] > 0.9 and (filed == filed[0]).all()
    assert sorted_by_name[0] < 0.05
    assert file_columns([], 0)["file_habit"][0] == 0


def test_an_empty_library_has_no_rows() -> None:
    context = Context(left="", right="")
    assert all(
        len(column) == 0
        for column in file_features(
            context, cited_rows(context.mentions, {}).in_order, {}, 0
        ).values()
    )


@pytest.mark.parametrize("keys", ["stranger", ""])
def test_markers_of_unknown_papers_say_nothing(keys: str) -> None:
    assert np.isnan(file_columns([keys], 1)["file_previous"]).all()
