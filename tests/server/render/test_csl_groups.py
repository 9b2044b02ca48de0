"""A group of a style is left out where none of its variables is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library.bibtex.incremental import parse_bibliography
from cite_lsp.server.render.citeproc import ReferenceFormatter

THESIS = "@phdthesis{a, author = {Doe, Jane}, title = {On Salt}, school = {House}, year = 2001}"


@pytest.mark.parametrize(
    ("entry", "printed"),
    [
        (THESIS, "Doe, J. (2001). On Salt [Doctoral dissertation]. House."),
        (THESIS.replace("year", "number = 7, year"),
         "Doe, J. (2001). On Salt (Publication No. 7) [Doctoral dissertation]. House."),
    ],
)  # fmt: skip
def test_the_word_before_a_number_is_printed_only_with_the_number(
    entry: str, printed: str, tmp_path: Path
) -> None:
    (read,) = parse_bibliography(entry, tmp_path / "a.bib").entries
    assert ReferenceFormatter().format(read, "apa", tmp_path, markdown=False) == printed
