"""A method: what orders the papers of a library or a corpus for a Context, with its reasons.

The methods of papers (`cite_lsp.recommend.published`) are given the papers of either behind one
interface, so that both are ordered alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Cancel, Encoder, Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Reason

Allowed = NDArray[np.bool_]
"""Whether each paper may be ranked, shape (n,)."""
Rows = NDArray[np.int64]


@frozen
class MethodPaper:
    """A paper by its row, its score by a method, and what the method says for it."""

    row: int
    score: float
    reasons: tuple[Reason, ...] = ()


class MethodPapers(Protocol):
    """The n papers that a method orders, by row. Safe to share."""

    @property
    def encoder(self) -> Encoder:
        """What encodes queries for the vectors of the papers."""

    @property
    def source(self) -> object:
        """What holds the papers; what is computed of them is kept as long as it is in use."""

    def __len__(self) -> int: ...

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""

    def vectors(self, rows: Rows) -> Vectors:
        """Return the unit vectors of rows, shape (r, d)."""

    def nearest(self, vector: NDArray[np.float32], count: int, allowed: Allowed | None) -> Rows:
        """Return up to `count` rows by the product of their vectors and one, greatest first."""


class Method(Protocol):
    """A method as a paper published it. Thread-safe."""

    @property
    def name(self) -> str:
        """Its name among the settings."""

    @property
    def language(self) -> str:
        """The language of the contexts that it ranks for, "en" or "zh"."""

    def prepare(self, papers: MethodPapers) -> None:
        """Load its model, and compute what every ranking of these papers needs.

        Raises:
            RankerError: the model cannot be read.
        """

    def rank(
        self,
        context: Context,
        papers: MethodPapers,
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
