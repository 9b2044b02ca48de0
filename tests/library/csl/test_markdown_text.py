from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cite_lsp.library.csl.markdown_text import markdown_text, plain_text
from cite_lsp.library.csl.yaml import parse_references, parse_yaml
from cite_lsp.library.write.new_entry import NewEntry, new_entry
from cite_lsp.paper import Paper

TEXTS = [
    ("Growth of *Salix alba* beside __wet__ roads", "Growth of Salix alba beside wet roads"),
    ("**A *strong* word** and ***more***", "A strong word and more"),
    ("The uptake of NO~3~^-^ by roots", "The uptake of NO3- by roots"),
    ("[Nasa]{.smallcaps} and [a page](https://example.org/a_b_c)", "Nasa and a page"),
    ("A ~~wrong~~ `snake_case*` name", "A wrong snake_case* name"),
    (r"5 \* 3 is \*not\* C\~2\~", "5 * 3 is *not* C~2~"),
    ("the A* algorithm, the B* one and some_long_name", "the A* algorithm, the B* one and"
     " some_long_name"),
    ("1914--1918 --- a history", "1914–1918 — a history"),
    ("Bounds of $a_1 * b * c^2$", "Bounds of $a_1 * b * c^2$"),
]  # fmt: skip


@pytest.mark.parametrize("written, read", TEXTS)
def test_markdown_is_read_as_what_it_shows(written: str, read: str) -> None:
    assert plain_text(written) == read


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed")
def test_pandoc_shows_the_same() -> None:
    without_formulas = [(written, read) for written, read in TEXTS if "$" not in written]
    text = "\n\n".join(written for written, _ in without_formulas)
    command = ["pandoc", "-f", "markdown", "-t", "html", "--wrap=none"]
    shown = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    plain = [text_of_html(line) for line in shown.splitlines()]
    assert plain == [read for _, read in without_formulas]


def text_of_html(line: str) -> str:
    import re
    from html import unescape

    return unescape(re.sub(r"<[^>]+>", "", line))


ITEMS = """\
references:
- id: reed1999
  type: article-journal
  title: 'How *Typha* takes up NO~3~'
  container-title: '*Mud* Letters'
  URL: https://example.org/a_b_~c~
  author:
  - family: '*Reed*'
    given: Ida
  issued: 1999
"""


def test_fields_of_csl_yaml_are_shown_without_markup() -> None:
    (entry,) = parse_yaml(ITEMS, Path("a.yaml")).entries
    paper = entry.paper
    assert (paper.title, paper.venue) == ("How Typha takes up NO3", "Mud Letters")
    assert (paper.authors, paper.url) == (("Ida Reed",), "https://example.org/a_b_~c~")
    draft = parse_references(f"---\n{ITEMS}---\n\nText\n", Path("a.md"))
    assert draft is not None and draft.entries[0].paper.title == "How Typha takes up NO3"


def test_they_are_written_to_a_bib_file_without_markup() -> None:
    (entry,) = parse_yaml(ITEMS, Path("a.yaml")).entries
    added = new_entry("", Path("a.bib"), NewEntry("k", entry.paper, details=entry.fields)).text
    assert "title = {How Typha takes up {NO3}}" in added
    assert "journal = {Mud Letters}" in added


@given(
    st.text(
        st.characters(codec="ascii", exclude_characters="$-<>&\r\n\t\x0b\x0c", min_codepoint=32)
    )
)
@example("__0__")
@example("a_b_ _c")
@example(r"The \(x\) of \([\)")
def test_a_text_is_written_so_that_it_is_read_back(text: str) -> None:
    text = " ".join(text.split())
    assert plain_text(markdown_text(text)) == text


def test_a_title_with_signs_is_one_of_markdown_in_csl_yaml() -> None:
    paper = Paper("x", "The *-product of C*-algebras, a_b_ and @home", authors=("Ida Reed",))
    added = new_entry(ITEMS, Path("a.yaml"), NewEntry("new", paper))
    text = added.applied_to(ITEMS)
    assert r"C\*-algebras" in added.text and r"\@home" in added.text
    assert parse_yaml(text, Path("a.yaml")).entries[-1].paper.title == paper.title
