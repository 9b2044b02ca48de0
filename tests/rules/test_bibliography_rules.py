"""Rules on bibliographies that have very much wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import parse_bibliography
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.rules.bibliography_rules import broken_records, duplicates
from tests.growth import LINEAR, growth


@pytest.mark.parametrize("piece", [",a={b}，", ",a={b}\n，", ",a=1，", "\n@a{k,t={}"])
def test_many_problems_take_time_by_their_number(piece: str) -> None:
    def examine(text: str) -> None:
        read = parse_bibliography(text, Path("refs.bib"))
        assert list(broken_records(read, read.problems, LineIndex(text)))

    assert growth(lambda times: "@article{k" + piece * times, examine, 4_000) < LINEAR


def test_many_entries_of_one_key_take_time_by_their_number() -> None:
    def text(times: int) -> str:
        return "".join(f"@a{{k, t={{{n}}}}}\n@a{{k-{n}, t={{}}}}\n" for n in range(times))

    def examine(text: str) -> None:
        read = parse_bibliography(text, Path("refs.bib"))
        assert list(duplicates([read], lambda: True))

    assert growth(text, examine, 2_000) < LINEAR
