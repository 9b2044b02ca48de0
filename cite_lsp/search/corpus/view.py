"""What ranking needs of a corpus, wherever its papers are stored.

`CorpusIndex` is one, over all papers of a folder; `FetchedCorpus` is one, over those papers that a
distributed engine found for a context. So one ranking serves both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_references import References
from cite_lsp.search.corpus.paper_columns import PaperColumns
from cite_lsp.search.vectors.vector_index import Rows, VectorIndex
from cite_lsp.search.words.word_index import Scores, WordQuery

if TYPE_CHECKING:
    from cite_lsp.search.corpus.corpus_index import Manifest


class WordScores(Protocol):
    """Search by words: what a `WordIndex` does, and all that ranking needs of one."""

    def scores(self, query: WordQuery) -> Scores:
        """Return the BM25 score of every paper for a text or its words, shape (n,)."""

    def scores_of(self, rows: Rows, queries: Sequence[WordQuery]) -> Scores:
        """Return the scores of some papers for several texts, shape (q, r)."""


class CorpusView(Protocol):
    """Papers numbered by rows from 0, with all that ranks them. Safe to share."""

    manifest: Manifest
    years: NDArray[np.int32]
    """Year of every paper, 0 where it is not known, shape (n,)."""
    has_abstract: NDArray[np.bool_]
    columns: PaperColumns
    vectors: VectorIndex

    @property
    def words(self) -> WordScores:
        """The words of the papers."""

    @property
    def references(self) -> References | None:
        """Who cites whom among the papers, None where no source has it."""

    @property
    def row_of(self) -> Mapping[str, int]:
        """Rows by paper id."""

    def __len__(self) -> int: ...

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""

    def title(self, row: int) -> str:
        """Return the title of a row."""
