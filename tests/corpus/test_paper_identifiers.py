"""What identifies a paper."""

from __future__ import annotations

import pytest

from cite_lsp.corpus.paper_identifiers import arxiv_of
from cite_lsp.paper import Paper


@pytest.mark.parametrize(
    ("paper", "number"),
    [
        (Paper("a", "T", arxiv="2001.00001v3"), "2001.00001"),
        (Paper("a", "T", doi="10.48550/arXiv.2001.00001"), "2001.00001"),
        (Paper("a", "T", url="http://arxiv.org/pdf/hep-th/9901001v2.pdf"), "hep-th/9901001"),
        (Paper("a", "T", url="https://example.org/2001.00001"), ""),
    ],
)
def test_arxiv_numbers_are_known_without_their_version(paper: Paper, number: str) -> None:
    assert arxiv_of(paper) == number
