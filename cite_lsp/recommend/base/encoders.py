"""The encoders that rank the papers of a library for places in drafts."""

from __future__ import annotations

from attrs import frozen

from cite_lsp.encode.encoder import Encoder


@frozen(eq=False)
class Encoders:
    """Encoders, each None where it is not loaded, or not available.

    papers: that of papers and sentences; without it papers are ranked by words only. queries: that
    which was trained to map contexts among the vectors of papers; without it the features that need
    it are missing. precedents: that by which contexts are compared with those of other documents.
    """

    papers: Encoder | None = None
    queries: Encoder | None = None
    precedents: Encoder | None = None


NO_ENCODERS = Encoders()
