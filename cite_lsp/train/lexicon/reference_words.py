"""References as words of another language, into which contexts are translated.

Huang, Kataria, Caragea, Mitra, Giles, Rokach, "Recommending citations: translating papers into
references" (CIKM 2012): a word of a context is translated into the papers that are cited beside it,
by IBM model 1. Papers that nobody has cited cannot be retrieved in this way.
"""

from __future__ import annotations

from collections.abc import Iterable

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.recommend.published.bilingual_bags import Bags
from cite_lsp.train.lexicon.alignment import TextPair, align
from cite_lsp.train.run.report import Steps

PASSES = 10
SMALLEST = 1e-4
"""The smallest share of a word that counts."""


def translated_references(
    rows: Iterable[LabelledContext], bags: Bags, progress: Steps = lambda done, total: None
) -> dict[str, dict[str, float]]:
    """Return t(paper | word) of the Chinese words of contexts, the papers by their ids."""
    pairs = [TextPair(tuple(bags.of_context(row.context, "chinese")), row.cited) for row in rows]
    return align(pairs, iterations=PASSES, smallest=SMALLEST, progress=progress)
