"""Corpora as they are searched: built, opened, and searched for candidates by vectors and words."""

from cite_lsp.search.fusion import reciprocal_rank_fusion
from cite_lsp.search.vectors.vector_index import SearchIndexError, VectorIndex
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.search.words.word_index import WordIndex

__all__ = [
    "SearchIndexError",
    "VectorIndex",
    "WordIndex",
    "reciprocal_rank_fusion",
    "tokenise",
]
