"""A paper as people read it, for lists and cards; what is searched and written stays as it is."""

from __future__ import annotations

from attrs import evolve

from cite_lsp.library.text.latex_decode import readable
from cite_lsp.library.text.people import untied
from cite_lsp.paper import Paper


def shown(paper: Paper) -> Paper:
    """Return a paper whose title and abstract are text without LaTeX, and its names without ties.

    The family names of its authors can no longer be told: `paper` itself is what is cited by name.
    """
    return evolve(
        paper,
        title=readable(paper.title),
        abstract=readable(paper.abstract),
        authors=tuple(map(untied, paper.authors)),
    )


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters; where it has more, "…" stands for the rest."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
