"""A few lines of BibTeX that would fill the memory are read in part, and that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, parse_bibliography
from cite_lsp.library.bibtex.values import LONGEST_MACRO
from cite_lsp.paper import LONGEST_FIELD

PATH = Path("refs.bib")
GOOD = "@book{good, title = {Tides}, publisher = a0}\n"


def titles(text: str) -> tuple[dict[str, str], Bibliography]:
    bibliography = parse_bibliography(text, PATH)
    return {entry.key: entry.paper.title for entry in bibliography.entries}, bibliography


def test_macros_made_of_macros_grow_up_to_a_limit() -> None:
    macros = "".join(f"@string{{a{n} = a{n - 1} # a{n - 1}}}\n" for n in range(1, 60))
    text = f"@string{{a0 = {{ten marsh}}}}\n{macros}{GOOD}@book{{bomb, title = a59 # a58}}\n"
    read, bibliography = titles(text)
    assert read["good"] == "Tides"
    assert bibliography.entries[0].fields["publisher"] == "ten marsh"
    assert len(read["bomb"]) < 3 * LONGEST_MACRO
    assert sum(map(len, bibliography.macros.values())) < 60 * 3 * LONGEST_MACRO
    assert 'the macro "a8" has' in bibliography.problems[0].message


def test_a_long_macro_stands_by_its_name() -> None:
    text = f"@string{{m = {{{'x' * 5_000}}}}}\n" + "@book{a, title = m # { or y}}\n"
    read, bibliography = titles(text)
    assert read == {"a": "m or y"}
    assert len(bibliography.problems) == 1


def test_a_macro_many_times_in_a_value_is_resolved_up_to_a_limit() -> None:
    value = " # ".join(["m"] * 10_000)
    read, _ = titles(f"@string{{m = {{{'x' * 1_000}}}}}\n@book{{a, title = {value}}}\n")
    assert read["a"].startswith("x" * 2_000)
    assert len(read["a"]) < 20_000


def test_a_very_long_field_is_read_in_part_and_said() -> None:
    text = f"@book{{a, title = {{{'tide ' * LONGEST_FIELD}}}, year = 2020}}\n{GOOD}"
    read, bibliography = titles(text)
    assert read["good"] == "Tides"
    assert len(read["a"]) == LONGEST_FIELD - 1
    assert bibliography.entries[0].paper.year == 2020
    message = 'the field "title" of "a" has 500,000 characters: only 100,000 are read, shorten it'
    assert [problem.message for problem in bibliography.problems] == [message]


def test_pieces_of_data_that_double_grow_up_to_a_limit() -> None:
    data = "".join(
        f"@xdata{{d{n}, title = {{xdata=d{n - 1}-title xdata=d{n - 1}-title}}}}\n"
        for n in range(1, 30)
    )
    text = f"@book{{a, title = {{xdata=d29-title}}}}\n{data}@xdata{{d0, title = {{ten marsh}}}}\n"
    read, _ = titles(text)
    assert 0 < len(read["a"]) <= LONGEST_FIELD


@pytest.mark.parametrize(
    "value",
    [
        f"&#{'1' * 5_000}; tides",
        f"&#x{'f' * 5_000}; tides",
        f"xdata=a-title-{'1' * 5_000}",
        r"\char1114112 \symbol{99999999999}",
    ],
)
def test_numbers_that_no_character_has_cost_nothing_else(value: str) -> None:
    read, _ = titles(f"@book{{a, title = {{{value}}}, xdata = {{a}}}}\n{GOOD}")
    assert read["good"] == "Tides"
