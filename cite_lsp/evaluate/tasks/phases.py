"""What a head is worth to either phase: held-out contexts, a pool, and nothing but cosines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.encoder import Vectors, unit
from cite_lsp.evaluate.metrics import score_ranking
from cite_lsp.evaluate.tasks.local import candidates, ranked_rows
from cite_lsp.recommend.base.similarity import nearest_to_cited
from cite_lsp.search.corpus.view import CorpusView

DEPTHS = (30, 50, 80)
"""Candidates that phase 2 reorders: the three k of Tanaka et al., table 4."""
DEPTH = max(DEPTHS)
"""Candidates that phase 1 finds and phase 2 reorders."""
_FIGURES = ("mrr@10", "recall@10", "recall@80")
_AT_ONCE = 128

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]


@frozen(eq=False)
class PhaseTask:
    """Contexts of documents that nothing was learned from, against a pool.

    papers: their unit vectors by the base, shape (n, d). contexts: those that cite a paper with an
    abstract, and where the base has `placed` them, (contexts, d). masked: whether what a context
    cites is known nowhere else in its section, and what its section is known to cite is no
    candidate (`local.PROTOCOLS`).
    """

    pool: CorpusView
    papers: Vectors
    contexts: Sequence[LabelledContext]
    placed: Vectors
    masked: bool = False

    @property
    def answerable(self) -> tuple[int, int]:
        """How many contexts cite a paper of the pool: for phase 1, and of them for phase 2."""
        rows = self.pool.row_of
        with_paper = [row for row in self.contexts if any(name in rows for name in row.cited_abs)]
        with_cited = [row for row in with_paper if self._cited(row)]
        return len(with_paper), len(with_cited)

    def find(self, head: Matrix) -> dict[str, float]:
        """Measure phase 1: every paper of the pool ranked by its cosine to the context."""
        placed, papers = unit(self.placed @ head), unit(self.papers @ head)
        return _mean(
            [
                self._score(row, self._best(row, cosines))
                for row, cosines in _cosines(self.contexts, placed, papers)
            ]
        )

    def reorder_by(self, papers: Vectors) -> dict[str, float]:
        """Measure phase 2: the order of what the base finds for a context, by other vectors.

        Contexts of sections that cite no other paper of the pool are left out. `papers` are unit
        vectors of the pool, (n, dimensions).
        """
        scored = []
        for row, retrieved, cited in self.retrieved:
            near = nearest_to_cited(papers.__getitem__, retrieved.tolist(), cited)
            scored.append(self._score(row, retrieved[np.argsort(-near, kind="stable")]))
        return _mean(scored)

    @cached_property
    def retrieved(self) -> list[tuple[LabelledContext, Rows, list[int]]]:
        """What the base finds for each context with a section, and the rows that it cites."""
        retrieved = []
        for row, cosines in _cosines(self.contexts, self.placed, self.papers):
            if cited := self._cited(row):
                out = cited if self.masked else []
                retrieved.append((row, self._best(row, cosines, out), cited))
        return retrieved

    def _cited(self, row: LabelledContext) -> list[int]:
        out = row.cited if self.masked else ()
        names = [name for name in dict.fromkeys(row.context.section_cited) if name not in out]
        return [self.pool.row_of[name] for name in names if name in self.pool.row_of]

    def _best(
        self, row: LabelledContext, cosines: NDArray[np.float32], out: Sequence[int] = ()
    ) -> Rows:
        """Return the rows of the greatest cosines among the candidates but `out`, best first."""
        allowed = candidates(self.pool, row, "cited_abs")
        allowed[list(out)] = False
        return ranked_rows(cosines, DEPTH, allowed)

    def _score(self, row: LabelledContext, ranked: Rows) -> dict[str, float]:
        ids = [self.pool.paper(int(number)).id for number in ranked]
        return score_ranking(ids, row.cited_abs)


def _cosines(
    contexts: Sequence[LabelledContext], placed: Vectors, papers: Vectors
) -> Iterator[tuple[LabelledContext, NDArray[np.float32]]]:
    """Yield each context with its cosines to all papers, (n,); not all of them fit into memory."""
    for start in range(0, len(contexts), _AT_ONCE):
        part = placed[start : start + _AT_ONCE] @ papers.T
        yield from zip(contexts[start : start + _AT_ONCE], part, strict=True)


def _mean(scored: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {
        name: round(float(np.mean([figures[name] for figures in scored] or [0.0])), 4)
        for name in _FIGURES
    }
