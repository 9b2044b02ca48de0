"""A corpus ranked by the method that the writer chose, instead of the default one."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Cancel, Encoder, Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.method import Allowed, Rows
from cite_lsp.recommend.corpus.candidates import nearest_rows
from cite_lsp.recommend.corpus.ranking import Candidate, CorpusRanking
from cite_lsp.recommend.published.methods import Methods
from cite_lsp.search.corpus.view import CorpusView

_EVERY = 1000
"""Papers that may be ranked up to which each of them is compared."""


@frozen
class CorpusPapers:
    """The papers of a corpus as a method is given them. A `MethodPapers`."""

    corpus: CorpusView
    encoder: Encoder

    @property
    def source(self) -> CorpusView:
        """The corpus."""
        return self.corpus

    def __len__(self) -> int:
        return len(self.corpus)

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""
        return self.corpus.paper(row)

    def vectors(self, rows: Rows) -> Vectors:
        """Return the unit vectors of rows, shape (r, d)."""
        return self.corpus.vectors.vectors(rows)

    def nearest(self, vector: NDArray[np.float32], count: int, allowed: Allowed | None) -> Rows:
        """Return up to `count` rows by the product of their vectors and one, greatest first.

        In a large corpus its graph is searched, which may miss some.
        """
        if allowed is not None and np.count_nonzero(allowed) <= _EVERY:
            rows = np.flatnonzero(allowed)  # so few that none may be among the nearest of all
            order = np.argsort(-(self.vectors(rows) @ vector), kind="stable")
            return np.asarray(rows[order[:count]], dtype=np.int64)
        return nearest_rows(self.corpus.vectors, vector, count, allowed)


class CorpusByMethod(CorpusRanking):
    """Ranks the papers of a corpus by the methods for each language.

    Where there is none for the language of a context, or no encoder for the vectors, `default`
    ranks.
    """

    def __init__(self, default: CorpusRanking, methods: Methods) -> None:
        """The reasons are those of `default`, and what the methods say."""
        super().__init__(default.corpus, default.encoder, default.reasons)
        self.default = default
        self._methods = methods

    def prepare(self) -> None:
        """Load what the methods need, so that the first ranking need not wait."""
        if (papers := self._papers()) is not None:
            self._methods.prepare(papers)

    def rank(
        self,
        context: Context,
        *,
        limit: int = 100,
        allowed: NDArray[np.bool_] | None = None,
        cited: Collection[int] = (),
        draft: Path | None = None,
        cancelled: Cancel | None = None,
    ) -> list[Candidate]:
        """Return up to `limit` papers, best first; see `CorpusRanking.rank`.

        Raises:
            Cancelled: `cancelled` said so.
        """
        method, papers = self._methods.of(context), self._papers()
        if method is None or papers is None:
            return self.default.rank(
                context,
                limit=limit,
                allowed=allowed,
                cited=cited,
                draft=draft,
                cancelled=cancelled,
            )
        section = sorted(set(cited))
        ranked = method.rank(
            context, papers, limit=limit, allowed=allowed, cited=section, cancelled=cancelled
        )
        return [
            Candidate(
                paper.row,
                paper.score,
                math.nan,
                math.nan,
                method=method.name,
                reasons=paper.reasons,
            )
            for paper in ranked
        ]

    def _papers(self) -> CorpusPapers | None:
        return CorpusPapers(self.corpus, self.encoder) if self.encoder is not None else None
