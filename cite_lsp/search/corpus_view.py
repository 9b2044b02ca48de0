"""What ranking asks of a corpus, wherever its papers are kept.

`CorpusIndex` is one, over all papers of a folder; `FetchedCorpus` is one, over those papers that a
distributed engine found for a context. So one ranking serves both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from cite_lsp.paper import Paper
from cite_lsp.search.paper_columns import PaperColumns
from cite_lsp.search.references import References
from cite_lsp.search.vectors import VectorIndex
from cite_lsp.search.words import WordIndex

if TYPE_CHECKING:
    from cite_lsp.search.corpus_index import Manifest


class CorpusView(Protocol):
    """Papers numbered by rows from 0, with all that ranks them. Safe to share."""

    manifest: Manifest
    years: NDArray[np.int32]
    """Year of every paper, 0 where it is not known, shape (n,)."""
    has_abstract: NDArray[np.bool_]
    columns: PaperColumns
    words: WordIndex
    vectors: VectorIndex

    @property
    def references(self) -> References | None:
        """Who cites whom among the papers, None where no source said it."""
        ...

    def __len__(self) -> int: ...

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""
        ...
