"""A list of papers as a pool to rank: for systems that bring their own index, or need none."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cite_lsp.paper import Paper


class PaperList:
    """Papers by row; of those with the same id the first is taken."""

    def __init__(self, papers: Iterable[Paper]) -> None:
        unique: dict[str, Paper] = {}
        for paper in papers:
            unique.setdefault(paper.id, paper)
        self.papers = tuple(unique.values())
        self.row_of = {name: row for row, name in enumerate(unique)}
        self.years: NDArray[np.int32] = np.array(
            [paper.year or 0 for paper in self.papers], dtype=np.int32
        )
        self.has_abstract: NDArray[np.bool_] = np.array(
            [bool(paper.abstract) for paper in self.papers], dtype=bool
        )

    def __len__(self) -> int:
        return len(self.papers)

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""
        return self.papers[row]
