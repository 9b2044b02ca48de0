"""Candidates by vectors and by words, and rankings made one."""

from cite_lsp.search.fusion import reciprocal_rank_fusion
from cite_lsp.search.tokens import tokenise
from cite_lsp.search.vectors import SearchIndexError, VectorIndex
from cite_lsp.search.words import WordIndex

__all__ = [
    "SearchIndexError",
    "VectorIndex",
    "WordIndex",
    "reciprocal_rank_fusion",
    "tokenise",
]
