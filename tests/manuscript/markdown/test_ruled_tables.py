"""Citations in the tables of pandoc whose columns lines of dashes part."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import parse
from tests.growth import LINEAR, growth
from tests.manuscript.lone_file import context_of

SIMPLE = """Before the table stands a sentence.

Source         Topic  Remark
-----------  -------  ----------------------
@moor2001      Tides  A gauge in the bay
@reed2004      Gulls  Nests on *rocky* shores

: Papers on shores.

Behind it stands another one [@lark2007].
"""
CLOSED = SIMPLE.replace("shores\n\n:", "shores\n-----------  -------  -----\n\n:")
HEADLESS = CLOSED.replace("Source         Topic  Remark\n", "")
MULTILINE = """Before the table stands a sentence.

----------------------------------------
 Source         Topic  Remark
                       of ours
-----------  --------  -----------------
@moor2001      Tides   A gauge in the
                       bay

    @reed2004  Gulls   Nests on *rocky*
                       shores
----------------------------------------

: Papers on shores.

Behind it stands another one [@lark2007].
"""
ALL = pytest.mark.parametrize("text", [SIMPLE, CLOSED, HEADLESS, MULTILINE])


@ALL
def test_a_citation_in_a_cell_is_about_its_row_and_the_caption(text: str) -> None:
    manuscript = parse(text, "markdown")
    contexts = {
        marker.keys[0].text: context_of(manuscript, marker) for marker in manuscript.markers
    }
    assert list(contexts) == ["moor2001", "reed2004", "lark2007"]
    assert contexts["moor2001"].sentence == "Tides A gauge in the bay"
    assert contexts["reed2004"].sentence == "Gulls Nests on rocky shores"
    assert contexts["reed2004"].left == "Papers on shores."


@ALL
def test_rows_are_no_sentences_and_no_headings(text: str) -> None:
    manuscript = parse(text, "markdown")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Before the table stands a sentence.",
        "Papers on shores.",
        "Behind it stands another one.",
    ]
    assert [section.title for section in manuscript.sections] == [""]


@pytest.mark.parametrize(
    "text",
    [
        "One line\nand another\n--- ---\n\nText.\n",
        "Text.\n\n--- ---\n\nText.\n",
        "Heading\n-------\n\nText.\n",
        "Text.\n\n- - -\n\nText.\n",
    ],
)
def test_what_only_looks_like_a_table_is_none(text: str) -> None:
    assert parse(text, "markdown").tables == ()


def test_a_table_that_is_not_closed_ends_at_a_blank_line() -> None:
    text = MULTILINE.replace("shores\n----------------------------------------\n", "shores\n")
    sentences = [sentence.text for sentence in parse(text, "markdown").sentences]
    assert sentences[-1] == "Behind it stands another one."


def test_many_lines_of_dashes_are_read_in_no_time() -> None:
    def tables(count: int) -> str:
        return "a b\n-- --\n\n" * count + "-----\na b\n-- --\n\n" * count

    assert growth(tables, lambda text: parse(text, "markdown"), 2_000) < LINEAR
