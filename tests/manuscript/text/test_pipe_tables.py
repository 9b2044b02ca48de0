"""Citations in the pipe tables of Markdown and Org drafts: their context is their row."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.draft.windows import marker_windows
from tests.manuscript.lone_file import context_at

BARE = """Before the table stands a sentence.

Source | Topic | Remark
-------|------:|-------
@moor2001 | Tides | A gauge in a \\| bay
@reed2004 | Gulls | Nests on *rocky* shores
@lark2007 | Dunes | How they wander

Table: Papers on shores,
in three rows.

Behind it stands another one [@reed2004].
"""
PIPED = (
    BARE.replace("@moor", "| @moor")
    .replace("@reed2004 | G", "| @reed2004 | G")
    .replace("@lark", "| @lark")
    .replace("Source", "| Source")
    .replace("-------|", "|:-----|")
)


def at(text: str, key: str) -> int:
    return text.index(key) + 2


@pytest.mark.parametrize("text", [BARE, PIPED])
def test_a_citation_in_a_cell_is_about_its_row_and_the_caption(text: str) -> None:
    manuscript = parse(text, "markdown")
    context = context_at(manuscript, at(text, "@reed2004"))
    assert context.left.split() == "Papers on shores, in three rows.".split()
    assert context.right.split() == "Gulls Nests on rocky shores".split()
    assert context.sentence.split() == "Gulls Nests on rocky shores".split()
    windows = dict(zip((m.keys[0].text for m in manuscript.cited), marker_windows(manuscript)))  # noqa: B905
    assert windows["lark2007"] == (context.left, "Dunes How they wander")


def test_a_pipe_that_is_escaped_ends_no_cell() -> None:
    context = context_at(parse(BARE, "markdown"), at(BARE, "@moor2001"))
    assert context.right == "Tides A gauge in a | bay"


@pytest.mark.parametrize("text", [BARE, PIPED])
def test_rows_are_no_sentences(text: str) -> None:
    said = " ".join(sentence.text for sentence in parse(text, "markdown").sentences)
    assert "Gulls" not in said and "Topic" not in said
    assert "Before the table" in said and "Behind it stands" in said


def test_prose_beside_a_table_is_read_without_it() -> None:
    context = context_at(parse(BARE, "markdown"), at(BARE, "[@reed2004]"))
    assert "rocky" not in context.left and context.left.endswith("stands another one")


def test_a_row_that_is_being_typed_is_a_row() -> None:
    text = BARE.replace("@lark2007 | Dunes | How they wander", "[@] | Dunes and how they wander")
    context = context_at(parse(text, "markdown"), text.index("[@]") + 2)
    assert context.right == "Dunes and how they wander"


@pytest.mark.parametrize(
    "text",
    [
        "A title\n---|---\n\nText [@moor2001] goes on.\n",  # nothing above has cells
        "```\na | b\n--|--\n```\n\nText [@moor2001] goes on.\n",
        "Left | right [@moor2001] goes on.\n",
        "---\ntitle: x | y\n---\nText [@moor2001] goes on.\n",
    ],
)
def test_what_only_looks_like_a_table_is_none(text: str) -> None:
    manuscript = parse(text, "markdown")
    assert manuscript.tables == ()
    context = context_at(manuscript, at(text, "@moor2001"))
    assert context.right.startswith("goes on")


def test_a_table_at_the_end_of_a_file_is_read_to_its_end() -> None:
    text = "a | b\n--|--\n@moor2001 | tides"
    assert context_at(parse(text, "markdown"), at(text, "@moor2001")).right == "tides"


ORG = """* Shores
Before the table stands a sentence.

#+NAME: shores
#+CAPTION[Short]: Papers on shores.
| Source              | Topic  | Remark                  |
|---------------------+--------+-------------------------|
| [cite:@moor2001]    | Tides  | 12.5 gauges in a bay    |
| [cite/t:@reed2004]  | Gulls  | Nests on /rocky/ shores |
| cite:lark2007       | Dunes  | How they wander         |

Behind it stands another one [cite:@reed2004].
"""


@pytest.mark.parametrize(
    ("key", "right"),
    [
        ("@moor2001", "Tides gauges in a bay"),
        ("@reed2004", "Gulls Nests on rocky shores"),
        ("lark2007", "Dunes How they wander"),
    ],
)
def test_a_citation_in_a_table_of_org_is_about_its_row_and_the_caption(
    key: str, right: str
) -> None:
    context = context_at(parse(ORG, "org"), at(ORG, key))
    assert context.left.split() == "Papers on shores.".split()
    assert context.right.split() == right.split()


def test_prose_beside_a_table_of_org_is_read_without_it() -> None:
    manuscript = parse(ORG, "org")
    said = " ".join(sentence.text for sentence in manuscript.sentences)
    assert "Gulls" not in said and "Before the table" in said and "Behind it stands" in said
    assert "Nests" not in context_at(manuscript, at(ORG, "[cite:@reed2004].")).left


def test_pipes_in_an_example_of_org_are_no_table() -> None:
    text = "#+begin_example\n| a | b |\n#+end_example\nText [cite:@moor2001] goes on.\n"
    assert parse(text, "org").tables == ()
