"""BLSRec as a method: Chinese contexts, and the papers of a library or a corpus.

The equations are in `blsrec.py`, how the models were trained in their cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from attrs import evolve, frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder
from cite_lsp.manuscript.model import Context
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.method import Allowed, MethodPaper, PaperSource
from cite_lsp.recommend.base.recommendation import Reason
from cite_lsp.recommend.published.bilingual_bags import three_sentences
from cite_lsp.recommend.published.blsrec import BlsRec, BlsRecModel
from cite_lsp.storage.caches import ByObject

NAMES = ("blsrec-1", "blsrec-2", "blsrec-3")
EVERY = 20_000
"""Papers up to which each is compared; mapping as many takes some seconds, once."""
CANDIDATES = 1000
"""Of more papers, those nearest by the encoder, which are then ordered."""
_FOLDERS = {1: "blsrec-1", 2: "blsrec-3", 3: "blsrec-3"}
"""III was trained beside the maps of II, which it left as they were: it holds both."""

_mapped: ByObject[object, dict[int, BlsRec]] = ByObject()


@frozen
class CrossLanguage:
    """BLSRec I, II or III (Tang et al., SIGIR 2014)."""

    variant: int
    language: str = "zh"

    @property
    def name(self) -> str:
        """Its name among the settings."""
        return NAMES[self.variant - 1]

    def prepare(self, papers: PaperSource, encoder: Encoder) -> None:
        """Read the model, and map the papers if they are few enough.

        Raises:
            RankerError: the model cannot be read.
        """
        model = model_of(self.variant)
        if len(papers) <= EVERY:
            mapped = _mapped.setdefault(papers.source, dict)
            if self.variant not in mapped:
                every = map(papers.paper, range(len(papers)))
                mapped[self.variant] = BlsRec(model, every)

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
        """See `Method.rank`. What the section cites does not count.

        Raises:
            Cancelled: `cancelled` said so.
            RankerError: the model cannot be read.
        """
        stop_if(cancelled)
        if len(papers) <= EVERY:
            self.prepare(papers, encoder)
            stop_if(cancelled)
            rows = np.arange(len(papers)) if allowed is None else np.flatnonzero(allowed)
            scores = _mapped.setdefault(papers.source, dict)[self.variant].scores(context)[rows]
        else:
            text = three_sentences(context.left, context.right)
            rows = papers.nearest(encoder.encode([text])[0], CANDIDATES, allowed)
            stop_if(cancelled)
            some = map(papers.paper, rows.tolist())
            scores = BlsRec(model_of(self.variant), some).scores(context)
        best = np.argsort(-scores, kind="stable")[:limit]
        return [
            MethodPaper(row, score, (Reason("blsrec", score),))
            for row, score in zip(rows[best].tolist(), scores[best].tolist(), strict=True)
        ]


def model_of(variant: int) -> BlsRecModel:
    """Return the model of a variant that ships.

    Raises:
        RankerError: it cannot be read.
    """
    return evolve(_opened(shipped_model(_FOLDERS[variant])), variant=variant)


_opened = cache(BlsRecModel.open)
