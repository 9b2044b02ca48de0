"""MP-BERT4CR: papers by their nearness to the text and to the titles of draft and section.

Source: Zhang and Ma, "Recommending multiple positive citations for manuscript via content-dependent
modeling and multi-positive triplet", 2021. A paper p is scored for a context c by

    s(c, p) = cos(E(c), E(p)),

where c is the 50 words either side of the marker with the titles of the section and of the draft
(the "macro-scoped" context), and p the title and abstract. E learned from triplets with several
positives, the papers that one marker cites. It ships as a head on the default encoder.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.method import Allowed, MethodPaper, PaperSource
from cite_lsp.recommend.base.recommendation import Reason
from cite_lsp.recommend.published.headed_space import headed_space
from cite_lsp.recommend.query.query import macro_window

NAME = "mp-bert4cr"


@frozen
class MpBert4Cr:
    """The method."""

    name: str = NAME
    language: str = "en"

    def prepare(self, papers: PaperSource, encoder: Encoder) -> None:
        """Load the head."""
        headed_space(NAME, encoder)

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
        """See `Method.rank`. What the section cites does not count."""
        stop_if(cancelled)
        space = headed_space(NAME, encoder)
        rows, cosines = space.nearest(macro_window(context), papers, limit, allowed)
        return [
            MethodPaper(row, score, (Reason(NAME, score),))
            for row, score in zip(rows.tolist(), cosines.tolist(), strict=True)
        ]
