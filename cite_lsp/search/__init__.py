"""Corpora as they are searched: built, opened, and searched for candidates by vectors and words."""

from cite_lsp.search.fusion import reciprocal_rank_fusion
from cite_lsp.search.vectors.index import SearchIndexError, VectorIndex
from cite_lsp.search.words.index import WordIndex
from cite_lsp.search.words.tokens import tokenise

__all__ = [
    "SearchIndexError",
    "VectorIndex",
    "WordIndex",
    "reciprocal_rank_fusion",
    "tokenise",
]
