"""A method: what orders the papers of a library or a corpus for a Context, with its reasons.

The methods of papers (`cite_lsp.recommend.published`) are given the papers of either behind one
interface, so that both are ordered alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from cite_lsp.encode.encoder import Cancel, Encoder
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.paper_source import Allowed, PaperSource
from cite_lsp.recommend.base.recommendation import Reason


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
