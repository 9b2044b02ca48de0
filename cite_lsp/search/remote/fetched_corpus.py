"""The papers fetched from a remote corpus for a context, as a small corpus to be ranked here.

Words are weighed as they are in the whole corpus, whose statistics come with it: a score means
what it means where the corpus is on disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import Manifest
from cite_lsp.search.corpus.corpus_references import References
from cite_lsp.search.corpus.paper_columns import PaperColumn, PaperColumns, paper_column
from cite_lsp.search.corpus.statistics import CorpusStatistics
from cite_lsp.search.corpus.texts import searched_text
from cite_lsp.search.vectors.vector_index import Rows, VectorIndex
from cite_lsp.search.words.sparse_weights import inverse_frequency, saturated
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.search.words.word_index import Scores, WordQuery, word_counts


@frozen(eq=False, slots=False)
class FetchedPaper:
    """A paper with its number in the remote corpus and its unit vector, shape (d,)."""

    id: int
    paper: Paper
    vector: NDArray[np.float32]
    _saturated: dict[float, Mapping[str, float]] = field(factory=dict, init=False, repr=False)

    @cached_property
    def column(self) -> PaperColumn:
        """What ranking reads of the paper's title, authors and venue."""
        return paper_column(self.paper)

    def saturated(self, mean_length: float) -> Mapping[str, float]:
        """Return how far each word of the paper counts (see `word_weights.saturated`)."""
        weights = self._saturated.get(mean_length)
        if weights is None:
            weights = saturated(tokenise(searched_text(self.paper)), mean_length)
            self._saturated[mean_length] = weights
        return weights


class FetchedWords:
    """BM25 over fetched papers; for so few, an index costs more than it saves."""

    def __init__(self, fetched: Sequence[FetchedPaper], statistics: CorpusStatistics) -> None:
        self._documents = [paper.saturated(statistics.mean_length) for paper in fetched]
        self._statistics = statistics

    def scores(self, query: WordQuery) -> Scores:
        """Return the score of every paper for a text or its words, shape (n,)."""
        weights = {
            word: times * inverse_frequency(word, self._statistics)
            for word, times in word_counts(query).items()
        }
        return np.array(
            [_product(weights, document) for document in self._documents],
            dtype=np.float32,
        )

    def scores_of(self, rows: Rows, queries: Sequence[WordQuery]) -> Scores:
        """Return the scores of some papers for several texts, shape (q, r)."""
        return np.stack([self.scores(query)[rows] for query in queries])


def _product(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    """Return the product of two sparse vectors; a Chinese context has hundreds of words."""
    if len(left) > len(right):
        left, right = right, left
    return sum(weight * right[word] for word, weight in left.items() if word in right)


class FetchedCorpus:
    """Fetched papers, numbered in the order given. Safe to share."""

    references: References | None = None
    """Who cites whom is not known of a remote corpus."""

    def __init__(
        self, manifest: Manifest, fetched: Sequence[FetchedPaper], statistics: CorpusStatistics
    ) -> None:
        """Index papers, each given once; `manifest` and `statistics` are the whole corpus's."""
        papers = [item.paper for item in fetched]
        self.manifest = manifest
        self.ids: Rows = np.array([item.id for item in fetched], dtype=np.int64)
        """The number of each paper in the remote corpus, shape (n,)."""
        self.row_of = {paper.id: row for row, paper in enumerate(papers)}
        """Rows by paper id."""
        self._papers = papers
        self._rows = {item.id: row for row, item in enumerate(fetched)}
        self.years = np.array([paper.year or 0 for paper in papers], dtype=np.int32)
        self.has_abstract = np.array([bool(paper.abstract) for paper in papers], dtype=bool)
        self.columns = PaperColumns.join((item.column for item in fetched), statistics)
        self.words = FetchedWords(fetched, statistics)
        width = len(fetched[0].vector) if fetched else 1
        vectors = np.stack([item.vector for item in fetched]) if fetched else np.zeros((0, width))
        self.vectors = VectorIndex.build(np.asarray(vectors, dtype=np.float32))

    def __len__(self) -> int:
        return len(self._papers)

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""
        return self._papers[row]

    def title(self, row: int) -> str:
        """Return the title of a row."""
        return self._papers[row].title

    def rows(self, ids: Sequence[int]) -> list[int]:
        """Return the rows of those numbers of the remote corpus that were fetched."""
        return [self._rows[number] for number in ids if number in self._rows]
