"""What BibTeX and Biber make of a bibliography, in time by its length."""

from pathlib import Path

import pytest

from cite_lsp.library.formats.bbl import read_typeset, typeset_entries
from cite_lsp.library.formats.bibitem import read_bibitem
from tests.growth import LINEAR, growth


def test_entries_that_do_not_end_take_time_by_their_length() -> None:
    def read(text: str) -> None:
        typeset_entries(text, Path("paper.bbl"))

    assert growth(lambda times: r"\entry{a}{b}" * times, read, 20_000) < LINEAR


@pytest.mark.parametrize("piece", [r"\verb{url}\verb a ", r"\field{a}{", r"\name{author}{1}{}{{"])
def test_fields_that_do_not_end_take_time_by_their_length(piece: str) -> None:
    assert growth(lambda times: piece * times, read_typeset, 64_000 // len(piece)) < LINEAR


def test_many_authors_of_amsrefs_take_time_by_their_length() -> None:
    def item(times: int) -> str:
        return "\\bib{a}{article}{" + "author={A, B}, " * times + "}"

    assert growth(item, read_bibitem, 8_000) < LINEAR
