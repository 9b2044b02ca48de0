"""Retrieval from a corpus: candidates by words, vectors and precedents, and their features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Vectors
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.method import Allowed
from cite_lsp.recommend.base.threads import LazyThreads, spare_processors
from cite_lsp.recommend.corpus.features import (
    SCORES,
    CandidateEvidence,
    Candidates,
    EncodedQuery,
    Section,
    corpus_features,
)
from cite_lsp.recommend.evidence.corpus_precedents import CorpusPrecedents, precedent_scores
from cite_lsp.recommend.evidence.precedents import PrecedentEvidence
from cite_lsp.recommend.query.query import Query
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.precision import cosines
from cite_lsp.search.vectors.vector_index import Rows, VectorIndex
from cite_lsp.search.words.query_words import Words

RETRIEVED = {
    "near_words": 200,
    "wide_words": 200,
    "placed": 400,
    "profile": 150,
    "alike_words_sum": 100,
    "together": 80,
    "subject": 80,
}
"""Candidates from each order; most papers are among those of several."""
_DENSE_FACTOR, _DENSE_MOST = 1.3, 8000
"""Vectors to search for each that is needed (over the share that is allowed), and at most."""
_GROUP_SIZE = 32
"""Rows whose greatest score is taken first to find a lower bound."""
BACKGROUND = LazyThreads(spare_processors(2), "beside")
"""Threads beside the calling one: two where there are three processors."""


class Retrieval:
    """Retrieves candidates from one corpus, and computes their features. Safe to share."""

    def __init__(self, corpus: CorpusView, linked: CorpusPrecedents | None = None) -> None:
        """Take the corpus, and the precedents linked with it.

        Without any the features that need them are missing.
        """
        self.corpus = corpus
        self._linked = linked
        self._subject: tuple[bytes, Column] | None = None

    def gather(
        self,
        query: EncodedQuery,
        *,
        allowed: Allowed | None = None,
        section: Sequence[int] = (),
        without: int = -1,
        cancelled: Cancel | None = None,
        window_scores: tuple[Column, Column] | None = None,
    ) -> tuple[Rows, NDArray[np.float32]]:
        """Return candidates, shape (r,), and their features, shape (r, len(CORPUS_FEATURES)).

        Args:
            query: the context.
            allowed: for every row whether it may be recommended, None for all.
            section: distinct rows that the section cites already.
            without: the document of the precedents to leave out while training on it.
            cancelled: checked between the steps.
            window_scores: those of `window_scores`, if they are computed already.

        Raises:
            Cancelled: `cancelled` said so.
        """
        windows = query.windows
        near_scores, wide_scores = (
            self.window_scores(windows) if window_scores is None else window_scores
        )
        stop_if(cancelled)
        query_vector = query.vector
        linked = self._linked
        pending_evidence = None
        if linked is not None:  # computed while the indexes are searched
            pending_evidence = BACKGROUND.submit(
                self._precedent_evidence, linked, query, section, without
            )
        orders = [
            best_rows(near_scores, RETRIEVED["near_words"], allowed),
            best_rows(wide_scores, RETRIEVED["wide_words"], allowed),
            nearest_rows(self.corpus.vectors, query_vector, RETRIEVED["placed"], allowed),
            np.array([row for row in section if allowed is None or allowed[row]], dtype=np.int64),
        ]
        stop_if(cancelled)
        evidence = None
        if linked is not None and pending_evidence is not None:
            evidence = pending_evidence.result()
            orders += _precedent_orders(linked, evidence, allowed)
        stop_if(cancelled)
        rows = np.unique(np.concatenate(orders)).astype(np.int64)
        candidates = Candidates.of(self.corpus, rows)
        by_vectors = candidates.vectors @ np.vstack([query.title, query_vector]).T
        places = np.full(len(rows), -1) if linked is None else linked.places[rows].astype(np.int64)
        precedents = CandidateEvidence(evidence, places) if evidence is not None else None
        word_queries = (
            windows.fading_words,
            windows.close_words,
            windows.sentence_words,
            windows.topic_words,
        )
        joint_cosines = _joint_cosines(linked, candidates.vectors, query_vector, places, without)
        words = self.corpus.words.scores_of(rows, word_queries)
        columns = (near_scores[rows], wide_scores[rows], *words, *by_vectors.T, joint_cosines)
        scores = dict(zip(SCORES, columns, strict=True))
        cited = Section.of(self.corpus, section)
        matrix = corpus_features(query, candidates, scores, cited, self.corpus, precedents)
        return rows, matrix

    def _title_cosines(self, linked: CorpusPrecedents, title: Column) -> Column:
        """Return the cosines of a draft's title and those of citing documents, shape (documents,).

        They are cached for the next context: a draft has one title.
        """
        title_bytes, cached = title.tobytes(), self._subject
        if cached is not None and cached[0] == title_bytes:
            return cached[1]
        near: Column = cosines(linked.titles, title)
        self._subject = title_bytes, near
        return near

    def window_scores(self, query: Query) -> tuple[Column, Column]:
        """Return every paper's BM25 score for the near window, and for the wide one and the topic.

        Both of shape (n,). No vector is needed for them.
        """
        words = self.corpus.words
        wide = _joined_words(query.wide_words, query.topic_words)
        return words.scores(query.near_words), words.scores(wide)

    def _precedent_evidence(
        self, linked: CorpusPrecedents, query: EncodedQuery, section: Sequence[int], without: int
    ) -> PrecedentEvidence:
        cited = linked.places[np.array(section, dtype=np.int64)]
        return linked.precedents.evidence(
            query.vector,
            query.windows.near_words,
            cited=[int(place) for place in cited if place >= 0],
            subject=self._title_cosines(linked, query.title) if len(linked.titles) else None,
            without=without,
        )


def _joined_words(words: Words, other: Words) -> Words:
    """Return the weighted words of two texts; the weights of a word in both are added."""
    return {**words, **{word: words.get(word, 0.0) + times for word, times in other.items()}}


def _joint_cosines(
    linked: CorpusPrecedents | None,
    vectors: Vectors,
    query_vector: Column,
    places: Rows,
    without: int,
) -> Column:
    """Return the cosines of a query vector and papers, each joined with how it is cited, (r,).

    `vectors` are those of the papers, (r, d), `places` their indexes among the precedents.
    """
    if linked is None:
        return np.full(len(vectors), np.nan, dtype=np.float32)
    joint = vectors + linked.precedents.means(places, without)
    lengths = np.maximum(np.linalg.norm(joint, axis=1), 1e-6)
    return np.asarray((joint @ query_vector) / lengths, dtype=np.float32)


def _precedent_orders(
    linked: CorpusPrecedents, evidence: PrecedentEvidence, allowed: Allowed | None
) -> list[Rows]:
    allowed_papers = linked.rows >= 0
    if allowed is not None:
        allowed_papers &= allowed[np.maximum(linked.rows, 0)]
    return [
        linked.rows[best_rows(values, RETRIEVED[name], allowed_papers)]
        for name, values in precedent_scores(evidence).items()
    ]


def nearest_rows(index: VectorIndex, vector: Column, count: int, allowed: Allowed | None) -> Rows:
    """Return the rows whose vectors are nearest to a vector, the nearest first."""
    share = 1.0 if allowed is None else float(np.mean(allowed))
    count_searched = min(int(count * _DENSE_FACTOR / max(share, 1e-3)), _DENSE_MOST)
    rows = index.search(vector, count_searched if share < 1 else count)[0][0]
    rows = rows[rows >= 0]
    if allowed is not None:
        rows = rows[allowed[rows]]
    return np.asarray(rows[:count])


def best_rows(scores: Column, count: int, allowed: Allowed | None) -> Rows:
    """Return the rows of the greatest scores above 0, in no order."""
    if allowed is not None:
        scores = np.where(allowed, scores, 0.0)
    floor = _floor(scores, count)
    rows = np.flatnonzero(scores >= floor if floor > 0 else scores > 0)
    if count < len(rows):
        rows = rows[np.argpartition(-scores[rows], count)[:count]]
    return rows


def _floor(scores: Column, count: int) -> float:
    """Return a score that at least `count` scores reach, 0 if there are too few of them.

    It is the least of the greatest scores of `count` groups, in a fraction of the time of sorting.
    """
    size = len(scores) // _GROUP_SIZE
    if not 0 < count < size:
        return 0.0
    best = scores[: size * _GROUP_SIZE].reshape(_GROUP_SIZE, size).max(axis=0)
    return float(np.partition(best, size - count)[size - count])
