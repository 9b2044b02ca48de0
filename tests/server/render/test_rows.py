"""A recommendation as the pickers of the editors show it."""

from __future__ import annotations

import pytest

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.server.render.rows import row


@pytest.mark.parametrize(
    ("authors", "more", "name"),
    [
        (("Moor, Ada",), False, "Moor 2001"),
        (("Ada Moor", "Bo van Fen"), False, "Moor and van Fen 2001"),
        (("Moor, Ada",), True, "Moor et al. 2001"),
        (("周志华", "李航"), False, "周志华、李航 2001"),
        ((), False, "On tides 2001"),
    ],
)
def test_a_paper_is_named_as_prose_does(authors: tuple[str, ...], more: bool, name: str) -> None:
    paper = Paper("1", "On tides", authors=authors, year=2001, more_authors=more)
    shown = row(Recommendation(paper, 0.5))
    assert (shown["name"], shown["moreAuthors"]) == (name, more)
