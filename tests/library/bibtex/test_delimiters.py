"""Where braces and parentheses are closed, from wherever one asks and in whatever order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library.bibtex.delimiters import Delimiters, closing
from cite_lsp.library.bibtex.incremental import parse_bibliography
from tests.growth import LINEAR, growth


def counted(text: str, start: int, end: int, opener: str) -> int:
    """Return where a delimiter is closed, counted from it on."""
    depth, quoted = 0, False
    for place in range(start, end):
        character = text[place]
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth < 0:
                return place + 1 if opener == "{" else -1
        elif depth == 0 and character == '"':
            quoted = not quoted
        elif opener == "(" and depth == 0 and character == ")" and not quoted:
            return place + 1
    return -1


@given(st.text('{}()"a', max_size=60), st.data())
def test_earlier_requests_change_no_answer(text: str, data: st.DataObject) -> None:
    delimiters = Delimiters(text)
    for place in data.draw(st.permutations(range(len(text)))):
        if text[place] in "{(":
            end = data.draw(st.integers(place + 1, len(text)))
            expected = counted(text, place + 1, end, text[place])
            assert delimiters.closing(place + 1, end, text[place]) == expected
            assert closing(text, place + 1, end, text[place]) == expected


@pytest.mark.parametrize(
    ("before", "piece"),
    [
        ("@article{k, ", "ids={a,"),
        ("@article{k, ", "title={a,\n"),
        ("@article{k,", "a={b}\n"),
        ("@article{k", ",a={b}，"),
        ("", "@article{k, title={"),
        ("", "@comment{"),
        ("", "@comment("),
        ("% ", "@a{"),
    ],
)
def test_what_is_never_closed_takes_time_by_its_length(before: str, piece: str) -> None:
    def read(text: str) -> None:
        for entry in parse_bibliography(text, Path("refs.bib")).entries:
            assert entry.fields is not None

    assert growth(lambda times: before + piece * times, read, 64_000 // len(piece)) < LINEAR
