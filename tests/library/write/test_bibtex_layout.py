from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library import parse_bibliography
from cite_lsp.library.write.bibtex_layout import in_order_of_keys, laid_out, layout_edits
from tests.sample_drafts import FOLDERS

PATH = Path("/drafts/refs.bib")
MESSY = """% of Moor
@Article{moor,YEAR=2001 , Abstract = {Long},
   title="A {B} C" # acm,X-Mine={kept}, Author =  {Moor,
     Ada}} % twice

@string{acm   = {ACM}}
"""
TIDY = """% of Moor
@article{moor,
  author   = {Moor,
     Ada},
  title    = "A {B} C" # acm,
  year     = 2001,
  x-mine   = {kept},
  abstract = {Long},
} % twice

@string{acm   = {ACM}}
"""
PIECES = ["@misc{a, t = {T}}", "@misc{b,\n x=1, title = {T},}", "@string{x = {y}}", "% note", "\n",
          "\n\n", "@comment{c}", "@book{", "a = {b}", ", ", "@misc{c, crossref = {a}}"]  # fmt: skip


def test_fields_are_aligned_and_in_order() -> None:
    assert laid_out(MESSY, PATH) == TIDY


@pytest.mark.parametrize(
    "record",
    [
        "@misc{a}",
        "@misc{a, % why\n title = {T}}",
        "@misc{a, title = {T} year = 2001}",
        "@misc{a, title = {T}, year = }",
        '@misc{a, title = "un"quoted"}',
        "@misc{a, title = {T},\n",
        "@misc{a title = {T}}",
        "@misc{, title = {T}}",
        "@misc{a, , title = {T}}",
        "@comment{@misc{a, title={T}}}",
        "% @misc{a, title={T}}",
    ],
)
def test_what_is_not_read_in_full_stays_as_it_is(record: str) -> None:
    text = f"{record}\n@misc{{z,\n  title = {{T}},\n}}\n"
    assert laid_out(text, PATH) == text


def test_line_breaks_and_margins_are_those_of_the_record() -> None:
    assert laid_out("  @misc(a,\r\n title={T})", PATH) == "  @misc(a,\r\n    title = {T},\r\n  )"
    assert laid_out("@misc{a,\rtitle={T}}", PATH, "\t") == "@misc{a,\r\ttitle = {T},\r}"


def test_only_entries_that_a_range_touches_are_laid_out() -> None:
    text = "@misc{a, t={T}}\n@misc{b, t={T}}\n@misc{c, t={T}}\n"
    at = text.index("{b")
    (edit,) = layout_edits(text, PATH, start=at, end=at + 2)
    assert (text[edit.start : edit.end], edit.text) == (
        "@misc{b, t={T}}",
        "@misc{b,\n  t = {T},\n}",
    )


def test_entries_are_sorted_with_their_comments_between_what_is_no_entry() -> None:
    rest = "% Part two\n\n@misc{z}\n@string{x = {y}}\n@misc{a}"
    text = f"% of c\n@misc{{c}}\n\n@misc{{B}} % here\n\n\n{rest}"
    assert in_order_of_keys(text, PATH) == (f"@misc{{B}} % here\n\n% of c\n@misc{{c}}\n\n\n{rest}")


def test_what_others_take_from_stays_behind_them() -> None:
    text = "@misc{z, crossref = {b}}\n@misc{b, crossref = {a}}\n@misc{a}\n@misc{c}\n"
    assert in_order_of_keys(text, PATH) == (
        "@misc{c}\n@misc{z, crossref = {b}}\n@misc{b, crossref = {a}}\n@misc{a}\n"
    )
    circle = "@misc{b, crossref = {a}}\n@misc{a, crossref = {b}}\n"
    assert sorted(in_order_of_keys(circle, PATH)) == sorted(circle)


def test_an_entry_that_is_not_closed_stays_where_it_is() -> None:
    text = "@misc{c}\n@misc{b}\n@misc{a, title = {T},\n@misc{z}\n@misc{y}\n"
    assert in_order_of_keys(text, PATH) == (
        "@misc{b}\n@misc{c}\n@misc{a, title = {T},\n@misc{y}\n@misc{z}\n"
    )


def test_the_last_entry_needs_no_line_break_to_be_sorted() -> None:
    assert in_order_of_keys("@misc{b}\n\n@misc{a}", PATH) == "@misc{a}\n\n@misc{b}"


def test_no_comment_comes_to_stand_before_what_follows_on_the_same_line() -> None:
    text = "@misc{b} % of b\n@misc{a}@book{\n@misc{c}"
    assert in_order_of_keys(text, PATH) == text


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_of_any_text_nothing_is_lost_and_the_second_time_nothing_changes(text: str) -> None:
    once = laid_out(text, PATH)
    assert letters(once) == letters(text)
    assert laid_out(once, PATH) == once
    ordered = in_order_of_keys(text, PATH)
    assert Counter(ordered) == Counter(text)
    assert in_order_of_keys(ordered, PATH) == ordered


@pytest.mark.parametrize("path", [path for folder in FOLDERS for path in folder.rglob("*.bib")])
def test_files_of_writers_say_the_same_afterwards(path: Path) -> None:
    text = path.read_bytes().decode("utf-8-sig")
    before, after = parse_bibliography(text, PATH), parse_bibliography(laid_out(text, PATH), PATH)
    assert [(entry.key, entry.kind, entry.fields) for entry in before.entries] == [
        (entry.key, entry.kind, entry.fields) for entry in after.entries
    ]
    assert [problem.message.partition(" line ")[0] for problem in before.problems] == [
        problem.message.partition(" line ")[0] for problem in after.problems
    ]
    assert letters(laid_out(text, PATH)) == letters(text)


def letters(text: str) -> Counter[str]:
    """Return the characters of a text but for blanks and commas, whatever their case and order."""
    return Counter("".join(text.lower().split()).replace(",", ""))
