"""A method: what orders the papers of a library or a corpus for a Context, with its reasons.

The methods of papers (`cite_lsp.recommend.published`) are given the papers of either as a
`PaperSource`, through the same few methods, so that both are ordered alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Reason
from cite_lsp.search.corpus.paper_columns import Ragged
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import Hashes
from cite_lsp.search.words.word_index import Scores, WordQuery

Allowed = NDArray[np.bool_]
"""Whether each paper may be ranked, shape (n,)."""


class PaperSource(Protocol):
    """Papers by row, with their words and, where an encoder made them, their vectors."""

    @property
    def source(self) -> object:
        """What holds the papers; what is computed of them is kept as long as it is in use."""

    @property
    def years(self) -> NDArray[np.int32]:
        """Year of every paper, 0 where it is not known, shape (n,)."""

    @property
    def has_vectors(self) -> bool:
        """Whether there are vectors."""

    def __len__(self) -> int: ...

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""

    def word_scores(self, words: WordQuery) -> Scores:
        """Return the BM25 score of every paper, shape (n,)."""

    def nearest(
        self, vector: NDArray[np.float32], count: int, allowed: Allowed | None = None
    ) -> Rows:
        """Return up to `count` rows by the product of their vectors and one, greatest first.

        In a large corpus its graph is searched, which may miss some.
        """

    def vectors(self, rows: Rows) -> Vectors:
        """Return the unit vectors of rows, by title and abstract, shape (r, d)."""

    def authors(self, rows: Rows) -> Ragged:
        """Return the hashes of the surnames of the authors of rows."""

    def venues(self, rows: Rows) -> Hashes:
        """Return the hash of the venue of each row, 0 where it is not known, shape (r,)."""


@frozen
class MethodPaper:
    """A paper by its row, its score by a method, and what the method says for it."""

    row: int
    score: float
    reasons: tuple[Reason, ...] = ()


class Method(Protocol):
    """A method as a paper published it. Thread-safe."""

    @property
    def name(self) -> str:
        """Its name among the settings."""

    @property
    def language(self) -> str:
        """The language of the contexts that it ranks for, "en" or "zh"."""

    def prepare(self, papers: PaperSource, encoder: Encoder) -> None:
        """Load its model, and compute what every ranking of these papers needs.

        `encoder` is that of their vectors.

        Raises:
            RankerError: the model cannot be read.
        """

    def rank(
        self,
        context: Context,
        papers: PaperSource,
        encoder: Encoder,
        *,
        limit: int,
        allowed: Allowed | None = None,
        cited: Sequence[int] = (),
        cancelled: Cancel | None = None,
    ) -> list[MethodPaper]:
        """Return up to `limit` papers, best first; `cited` are the rows that the section cites.

        Raises:
            Cancelled: `cancelled` said so.
        """
