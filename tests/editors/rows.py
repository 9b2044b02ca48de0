"""What the server sends to the pickers of the editors, without a server."""

from __future__ import annotations

from typing import Any

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.server.render.rows import row


def row_of_a_corpus(corpus: str) -> dict[str, Any]:
    """Return the row of a paper that a corpus has and the library lacks."""
    paper = Paper(id="t1", title="Tides", authors=("Moor, Ada",), year=2001)
    return row(Recommendation(paper, 0.5, corpus=corpus))
