"""What stands in for a missing author is printed once."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library.bibtex.incremental import parse_bibliography
from cite_lsp.server.render.citeproc import ReferenceFormatter

PAGE = "@online{a, title = {Some Page}, year = 2020}"


BOOK = "@book{a, title = {The Book}, publisher = {House}, year = 2001}"


EDITED = "@book{a, title = {Letters}, editor = {Moor, Ada}, publisher = {House}, year = 2001}"


CHAPTER = "@incollection{a, title = {Salt}, booktitle = {Spices}, editor = {Moor, Ada}}"


ARTICLE = "@article{a, author = {Doe, Jane}, title = {So . . . Much}, journal = {J}, year = 2003}"


@pytest.mark.parametrize(
    ("entry", "style", "printed"),
    [
        (PAGE, "apa", "Some Page. (2020)."),
        (BOOK, "apa", "The Book. (2001). House."),
        (EDITED, "apa", "Moor, A. (Ed.). (2001). Letters. House."),
        (CHAPTER, "apa", "Moor, A. (Ed.). (n.d.). Salt. In Spices."),
        (ARTICLE, "apa", "Doe, J. (2003). So . . . Much. J."),
        (BOOK, "modern-language-association", "The Book. House, 2001."),
        (BOOK, "elsevier-harvard", "The Book, 2001. House."),
        (BOOK, "ieee", "The Book. House, 2001."),
    ],
)
def test_what_stands_in_for_the_author_is_printed_once(
    entry: str, style: str, printed: str, tmp_path: Path
) -> None:
    (read,) = parse_bibliography(entry, tmp_path / "a.bib").entries
    formatter = ReferenceFormatter()
    assert formatter.format(read, style, tmp_path, markdown=False) == printed
