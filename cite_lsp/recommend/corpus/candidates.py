"""Candidates from every order of a corpus (words, vectors, precedents), and evidence for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Cancel, Vectors, stop_if
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.threads import LazyThreads, spare_processors
from cite_lsp.recommend.corpus.features import Candidates, Scores, corpus_features
from cite_lsp.recommend.evidence.corpus_precedents import (
    CorpusPrecedents,
    link_precedents,
    precedent_scores,
)
from cite_lsp.recommend.evidence.precedents import PrecedentEvidence, Precedents
from cite_lsp.recommend.query.query import Query
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.index import Rows, VectorIndex
from cite_lsp.search.words.query_words import Words

Allowed = NDArray[np.bool_]
RETRIEVED = {
    "near_words": 200,
    "wide_words": 200,
    "placed": 400,
    "profile": 150,
    "alike_words_sum": 100,
    "together": 80,
    "subject": 80,
}
"""Candidates taken from each order; most papers are found by several."""
_DENSE_ASKED, _DENSE_MOST = 1.3, 8000
"""Vectors asked for in place of one that is wanted and allowed, and the most asked for at all."""
_GROUP = 32
"""Rows of which the best score is looked at first."""
ASIDE = LazyThreads(spare_processors(2), "beside")
"""What runs beside who asks: two things at a time where there are processors for three."""


@frozen
class Asked:
    """A context as the second stage reads it.

    placed: (d,), where the query encoder puts the context.
    title: (d,), the draft's title as the papers were encoded.
    """

    query: Query
    year: int | None
    placed: Column
    title: Column


class Retrieval:
    """Finds the candidates of one corpus and gathers the evidence for them. Safe to share."""

    def __init__(
        self,
        corpus: CorpusView,
        precedents: Precedents | None,
        *,
        known: CorpusPrecedents | None = None,
    ) -> None:
        """Without precedents that the corpus knows it does without them.

        `known` says what the corpus knows of precedents where that has been found out already.
        """
        self.corpus = corpus
        if known is None and precedents is not None:
            known = link_precedents(corpus, precedents)
        self._known = known
        self._subject: tuple[bytes, Column] | None = None

    def gather(
        self,
        asked: Asked,
        *,
        allowed: Allowed | None = None,
        section: Sequence[int] = (),
        without: int = -1,
        forget: bool = False,
        cancelled: Cancel | None = None,
        said: tuple[Column, Column] | None = None,
    ) -> tuple[Rows, NDArray[np.float32]]:
        """Return candidates, shape (r,), and their features, shape (r, len(CORPUS_FEATURES)).

        Args:
            asked: the context.
            allowed: for every row whether it may be recommended, None for all.
            section: distinct rows that the section cites already.
            without: the document of the precedents to leave out while learning from it.
            forget: do without precedents.
            cancelled: asked between the steps.
            said: what `said` gives for the query, if that is known already.

        Raises:
            Cancelled: `cancelled` said so.
        """
        query = asked.query
        near, wide = self.said(query) if said is None else said
        stop_if(cancelled)
        placed = asked.placed
        known = None if forget else self._known
        testified = None
        if known is not None:  # found out beside what the indexes are asked for
            testified = ASIDE.submit(self._testimony, known, asked, section, without)
        orders = [
            best_rows(near, RETRIEVED["near_words"], allowed),
            best_rows(wide, RETRIEVED["wide_words"], allowed),
            nearest_rows(self.corpus.vectors, placed, RETRIEVED["placed"], allowed),
            np.array([row for row in section if allowed is None or allowed[row]], dtype=np.int64),
        ]
        stop_if(cancelled)
        witness = None
        if known is not None and testified is not None:
            witness = testified.result()
            orders += _precedent_orders(known, witness, allowed)
        stop_if(cancelled)
        rows = np.unique(np.concatenate(orders)).astype(np.int64)
        candidates = self._candidates(rows)
        cosines = candidates.vectors @ np.vstack([asked.title, placed]).T
        places = np.full(len(rows), -1) if known is None else known.places[rows].astype(np.int64)
        asking = (query.fading_words, query.close_words, query.sentence_words, query.topic_words)
        both = _both(known, candidates.vectors, placed, places, without)
        words = self.corpus.words.scores_of(rows, asking)
        found = (near[rows], wide[rows], *words, *cosines.T, both)
        scores = Scores(*found)
        distinct = np.array(section, dtype=np.int64)
        matrix = corpus_features(
            query,
            asked.year,
            candidates,
            scores,
            distinct,
            self.corpus.vectors.vectors(distinct),
            self.corpus.columns,
            witness,
            places,
            lambda some: [self.corpus.title(row) for row in some.tolist()],
        )
        return rows, matrix

    def _near_titles(self, known: CorpusPrecedents, title: Column) -> Column:
        """Return the cosines of a draft's title and those of citing documents, shape (d,).

        They are kept for the next context: a draft has one title.
        """
        name, before = title.tobytes(), self._subject
        if before is not None and before[0] == name:
            return before[1]
        found: Column = known.titles @ title
        self._subject = name, found
        return found

    def said(self, query: Query) -> tuple[Column, Column]:
        """Return every paper's BM25 score for the near window, and for the wide one and the topic.

        Both of shape (n,). No vector is needed for them.
        """
        words = self.corpus.words
        wide = _together(query.wide_words, query.topic_words)
        return words.scores(query.near_words), words.scores(wide)

    def _candidates(self, rows: Rows) -> Candidates:
        return Candidates(
            rows,
            self.corpus.vectors.vectors(rows),
            np.asarray(self.corpus.years[rows]),
            np.asarray(self.corpus.has_abstract[rows]),
        )

    def _testimony(
        self, known: CorpusPrecedents, asked: Asked, section: Sequence[int], without: int
    ) -> PrecedentEvidence:
        cited = known.places[np.array(section, dtype=np.int64)]
        return known.precedents.evidence(
            asked.placed,
            asked.query.near_words,
            cited=[int(place) for place in cited if place >= 0],
            subject=self._near_titles(known, asked.title) if len(known.titles) else None,
            without=without,
        )


def _together(one: Words, other: Words) -> Words:
    """Return what two texts ask for; a word of both counts as often as both say."""
    return {**one, **{word: one.get(word, 0.0) + times for word, times in other.items()}}


def _both(
    known: CorpusPrecedents | None, vectors: Vectors, placed: Column, places: Rows, without: int
) -> Column:
    """Return the cosines of `placed` and papers, each together with how it is cited, (r,).

    `vectors` are those of the papers, (r, d), `places` their numbers among the precedents.
    """
    if known is None:
        return np.full(len(vectors), np.nan, dtype=np.float32)
    together = vectors + known.precedents.means(places, without)
    lengths = np.maximum(np.linalg.norm(together, axis=1), 1e-6)
    return np.asarray((together @ placed) / lengths, dtype=np.float32)


def _precedent_orders(
    known: CorpusPrecedents, witness: PrecedentEvidence, allowed: Allowed | None
) -> list[Rows]:
    there = known.rows >= 0
    if allowed is not None:
        there &= allowed[np.maximum(known.rows, 0)]
    return [
        known.rows[best_rows(values, RETRIEVED[name], there)]
        for name, values in precedent_scores(witness).items()
    ]


def nearest_rows(
    index: VectorIndex, vector: Column, count: int, allowed: Allowed | None = None
) -> Rows:
    """Return the rows whose vectors are nearest to one, the nearest first."""
    share = 1.0 if allowed is None else float(np.mean(allowed))
    asked = min(int(count * _DENSE_ASKED / max(share, 1e-3)), _DENSE_MOST)
    found = index.search(vector, asked if share < 1 else count)[0][0]
    found = found[found >= 0]
    if allowed is not None:
        found = found[allowed[found]]
    return np.asarray(found[:count])


def best_rows(scores: Column, count: int, allowed: Allowed | None = None) -> Rows:
    """Return the rows of the greatest scores above 0, in no order."""
    if allowed is not None:
        scores = np.where(allowed, scores, 0.0)
    floor = _floor(scores, count)
    rows = np.flatnonzero(scores >= floor if floor > 0 else scores > 0)
    if count < len(rows):
        rows = rows[np.argpartition(-scores[rows], count)[:count]]
    return rows


def _floor(scores: Column, count: int) -> float:
    """Return a score that at least `count` others reach, 0 where they are not many enough to tell.

    It is the least of the best scores of so many groups, found in a fraction of the time that the
    order of all takes.
    """
    size = len(scores) // _GROUP
    if not 0 < count < size:
        return 0.0
    best = scores[: size * _GROUP].reshape(_GROUP, size).max(axis=0)
    return float(np.partition(best, size - count)[size - count])
