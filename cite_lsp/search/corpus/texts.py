"""The texts that stand for a paper where it is searched: by meaning and by words."""

from __future__ import annotations

from cite_lsp.paper import Paper


def encoder_text(paper: Paper) -> str:
    """The text of a paper that is embedded: title and abstract (Tanaka et al., section 3)."""
    return f"{paper.title}. {paper.abstract}" if paper.abstract else paper.title


def searched_text(paper: Paper) -> str:
    """The text of a paper whose words are indexed: everything by which a sentence may name it."""
    metadata = (paper.title, " ".join(paper.authors), str(paper.year or ""), paper.venue)
    return " ".join((*metadata, paper.abstract, paper.keywords))
