"""The papers that a remote corpus found for a context, made a small corpus that can be ranked here.

Words are weighed as they are in the whole corpus, whose statistics come with it: a score means
what it means where the corpus is on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.paper import Paper
from cite_lsp.search.corpus_index import Manifest
from cite_lsp.search.corpus_statistics import CorpusStatistics
from cite_lsp.search.paper_columns import PaperColumns
from cite_lsp.search.texts import searched_text
from cite_lsp.search.tokens import tokenise
from cite_lsp.search.vectors import Rows, VectorIndex
from cite_lsp.search.words import WordIndex


@frozen(eq=False, slots=False)
class FetchedPaper:
    """A paper with its number in the remote corpus and its unit vector, shape (d,)."""

    id: int
    paper: Paper
    vector: NDArray[np.float32]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that the paper is searched by."""
        return tuple(tokenise(searched_text(self.paper)))


class FetchedCorpus:
    """Fetched papers, numbered in the order given. Safe to share."""

    references = None
    """Who cites whom is not asked of a remote corpus."""

    def __init__(
        self, manifest: Manifest, fetched: Sequence[FetchedPaper], statistics: CorpusStatistics
    ) -> None:
        """Index papers, each given once; `manifest` and `statistics` are the whole corpus's."""
        papers = [one.paper for one in fetched]
        self.manifest = manifest
        self.ids: Rows = np.array([one.id for one in fetched], dtype=np.int64)
        """The number of each paper in the remote corpus, shape (n,)."""
        self._papers = papers
        self._rows = {one.id: row for row, one in enumerate(fetched)}
        self.years = np.array([paper.year or 0 for paper in papers], dtype=np.int32)
        self.has_abstract = np.array([bool(paper.abstract) for paper in papers], dtype=bool)
        self.columns = PaperColumns.build(
            papers, among=statistics.title_words, count=len(statistics)
        )
        self.words = WordIndex.build((one.words for one in fetched), among=statistics)
        width = len(fetched[0].vector) if fetched else 1
        vectors = np.stack([one.vector for one in fetched]) if fetched else np.zeros((0, width))
        self.vectors = VectorIndex.build(np.asarray(vectors, dtype=np.float32))

    def __len__(self) -> int:
        return len(self._papers)

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""
        return self._papers[row]

    def rows(self, ids: Sequence[int]) -> list[int]:
        """Return the rows of those numbers of the remote corpus that were fetched."""
        return [self._rows[one] for one in ids if one in self._rows]
