"""The space of a head: contexts and papers by the vectors that a small trained map makes of them.

The published encoders ship as heads on the default encoder (`encode/kinds/headed.py`), so that
papers are embedded once, whatever the method.
"""

from __future__ import annotations

import logging
from functools import lru_cache

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.checkpoints import find
from cite_lsp.encode.encoder import Encoder, EncoderError, unit
from cite_lsp.encode.kinds.headed import Head, read_head
from cite_lsp.recommend.base.method import Allowed, PaperSource
from cite_lsp.search.vectors.vector_index import Rows

log = logging.getLogger(__name__)

SEARCHED = 1000
"""Papers whose cosines with a context are computed: those that a search by products finds."""


@frozen(eq=False)
class HeadedSpace:
    """The vectors of an encoder as a head maps them; without a head, as they are."""

    encoder: Encoder
    head: Head

    def encode(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a text, shape (d,)."""
        vector: NDArray[np.float32] = self.head.place(self.encoder.encode([text]))[0]
        return vector

    def nearest(
        self, text: str, papers: PaperSource, count: int, allowed: Allowed | None
    ) -> tuple[Rows, NDArray[np.float32]]:
        """Return the rows of the papers nearest to a text, the nearest first, and their cosines.

        With the matrix M of the head, a paper p and the vector v of the text, (p M) v is the
        product of p and M v, for which papers that are not mapped can be searched. That is the
        cosine but for the length of p M: what is found is ordered by the cosine.
        """
        vector = self.encode(text)
        mapped = vector if self.head.matrix is None else unit((self.head.matrix @ vector)[None])[0]
        rows = papers.nearest(mapped, max(count, SEARCHED), allowed)
        cosines = self.head.place(papers.vectors(rows)) @ vector
        order = np.argsort(-cosines, kind="stable")[:count]
        return rows[order], np.asarray(cosines[order], dtype=np.float32)


def headed_space(head: str, encoder: Encoder) -> HeadedSpace:
    """Return the space of a head that is installed or ships, by name, on an encoder.

    For an encoder on which the head was not trained, it is that encoder's own; a warning is logged
    once.
    """
    opened = _opened(head, encoder.name, encoder.checkpoint, encoder.dimensions)
    return HeadedSpace(encoder, opened)


@lru_cache(maxsize=16)
def _opened(head: str, encoder: str, checkpoint: str, dimensions: int) -> Head:
    try:
        return read_head(find(head)[0].folder, checkpoint, dimensions)
    except EncoderError as error:
        log.warning("%s; until then its method compares papers by %s alone", error, encoder)
        return Head(lambda vectors: vectors)
