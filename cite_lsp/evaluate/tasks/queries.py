"""What a query encoder is worth alone: contexts against every paper of the pool, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.encoder import Vectors, unit
from cite_lsp.evaluate.metrics import score_ranking
from cite_lsp.evaluate.tasks.local import Relevant, candidates, ranked_rows
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.search.corpus.corpus_index import CorpusIndex

DEPTH = 80
_AT_ONCE = 128
_SHOWN = {"mrr@10": "MRR@10", "recall@10": "Recall@10", "recall@80": "Recall@80"}


@frozen
class QueryTask:
    """Held-out contexts and a pool: its index, its vectors (n, d), and what training has seen.

    `asking` makes the query of a context, `relevant` is the name of the papers to find:
    "cited_abs", those with an abstract, or "cited", all.
    """

    corpus: CorpusIndex
    papers: NDArray[np.floating]
    contexts: Sequence[LabelledContext]
    seen: Collection[str]
    asking: Callable[[Context], str] = query_text
    relevant: Relevant = "cited_abs"

    @property
    def answerable(self) -> list[LabelledContext]:
        """The contexts that have a relevant paper."""
        return [row for row in self.contexts if self._wanted(row)]

    @property
    def texts(self) -> list[str]:
        """Their queries."""
        return [self.asking(row.context) for row in self.answerable]

    def figures(self, encode: Callable[[Sequence[str]], Vectors]) -> dict[str, float]:
        """Measure an encoder of `texts`: all contexts, and those whose papers nobody has seen."""
        rows = self.answerable
        vectors = encode(self.texts)
        papers = unit(self.papers)
        scored = []
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            cosines = vectors[start : start + _AT_ONCE] @ papers.T
            scored += [
                self._score(row, row_cosines)
                for row, row_cosines in zip(part, cosines, strict=True)
            ]
        unseen = [
            figures
            for row, figures in zip(rows, scored, strict=True)
            if not any(name in self.seen for name in self._wanted(row))
        ]
        averages = {}
        for slice_name, part_scored in (("", scored), ("unseen ", unseen)):
            for name, shown in _SHOWN.items():
                values = [figures[name] for figures in part_scored]
                averages[slice_name + shown] = round(float(np.mean(values or [0.0])), 4)
        return averages

    def _score(self, row: LabelledContext, cosines: Vectors) -> dict[str, float]:
        best = ranked_rows(cosines, DEPTH, candidates(self.corpus, row, self.relevant))
        return score_ranking(
            [self.corpus.papers[int(place)].id for place in best], self._wanted(row)
        )

    def _wanted(self, row: LabelledContext) -> Sequence[str]:
        relevant: Sequence[str] = getattr(row, self.relevant)
        return relevant
