"""The learned ranking of a corpus: candidates from every order, evidence for each, trees over it.

The candidates come from words, from vectors and from precedents; LambdaMART (Burges 2010) decides.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Encoder, EncoderError, Vectors, stop_if
from cite_lsp.manuscript.model import Context
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.asking import asking_text, shipped_query_encoder
from cite_lsp.recommend.corpus_features import (
    CORPUS_FEATURES,
    Candidates,
    Column,
    Scores,
    corpus_features,
)
from cite_lsp.recommend.elsewhere import CitingDraft
from cite_lsp.recommend.own_drafts import with_drafts
from cite_lsp.recommend.own_references import with_own_references
from cite_lsp.recommend.precedent_arrays import PrecedentsError, papers_in
from cite_lsp.recommend.precedents import Precedents, Witness, damped
from cite_lsp.recommend.query import Query, read_query
from cite_lsp.recommend.ranker import Ranker, RankerError
from cite_lsp.search.asked_words import Words
from cite_lsp.search.corpus_view import CorpusView
from cite_lsp.search.vectors import Rows, SearchIndexError

log = logging.getLogger(__name__)

Allowed = NDArray[np.bool_]
MODEL = "corpus-ranker"
_PRECEDENTS = "precedents.safetensors"
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
_VENUE_SHRINK = 5.0
_WEIGHT_OF_MANY = 2.5
"""Logarithm of what the papers of a large corpus weigh together in nineteen of twenty contexts
(231,226 papers, development contexts: the fifth percentile is 2.49, the median 4.09)."""
_ASIDE = ThreadPoolExecutor(min(max((os.cpu_count() or 1) - 1, 1), 2), thread_name_prefix="beside")
"""What runs beside who asks: two things at a time where there are processors for three."""


@frozen
class Known:
    """Precedents as a corpus sees them.

    places: number of each paper of the corpus among those of the precedents, -1 for none, (n,).
    rows: the row of each of those papers in the corpus, -1 for none, (m,).
    titles: unit vectors of the citing documents that the corpus has, 0 of the others, (d, width).
    venue_citations: how often the papers of each paper's venue are cited, on average, (n,).
    """

    precedents: Precedents
    places: NDArray[np.int32]
    rows: Rows
    titles: Vectors
    venue_citations: Column


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
        self, corpus: CorpusView, precedents: Precedents | None, *, known: Known | None = None
    ) -> None:
        """Without precedents that the corpus knows it does without them.

        `known` says what the corpus knows of precedents where that has been found out already.
        """
        self.corpus = corpus
        if known is None and precedents is not None:
            known = know(corpus, precedents)
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
        cancelled: Callable[[], bool] | None = None,
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
            testified = _ASIDE.submit(self._testimony, known, asked, section, without)
        orders = [
            best_rows(near, RETRIEVED["near_words"], allowed),
            best_rows(wide, RETRIEVED["wide_words"], allowed),
            self._nearest(placed, RETRIEVED["placed"], allowed),
            np.array([row for row in section if allowed is None or allowed[row]], dtype=np.int64),
        ]
        stop_if(cancelled)
        witness = None
        if known is not None and testified is not None:
            witness = testified.result()
            orders += _precedent_orders(known, witness, allowed)
        stop_if(cancelled)
        rows = np.unique(np.concatenate(orders)).astype(np.int64)
        candidates = self._candidates(rows, known)
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

    def _near_titles(self, known: Known, title: Column) -> Column:
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

    def _candidates(self, rows: Rows, known: Known | None) -> Candidates:
        return Candidates(
            rows,
            self.corpus.vectors.vectors(rows),
            np.asarray(self.corpus.years[rows]),
            np.asarray(self.corpus.has_abstract[rows]),
            known.venue_citations[rows] if known else np.full(len(rows), np.nan, np.float32),
        )

    def _nearest(self, vector: Column, count: int, allowed: Allowed | None) -> Rows:
        share = 1.0 if allowed is None else float(np.mean(allowed))
        asked = min(int(count * _DENSE_ASKED / max(share, 1e-3)), _DENSE_MOST)
        found = self.corpus.vectors.search(vector, asked if share < 1 else count)[0][0]
        found = found[found >= 0]
        if allowed is not None:
            found = found[allowed[found]]
        return np.asarray(found[:count])

    def _testimony(
        self, known: Known, asked: Asked, section: Sequence[int], without: int
    ) -> Witness:
        cited = known.places[np.array(section, dtype=np.int64)]
        return known.precedents.testify(
            asked.placed,
            asked.query.near_words,
            cited=[int(place) for place in cited if place >= 0],
            year=asked.year,
            subject=self._near_titles(known, asked.title) if len(known.titles) else None,
            without=without,
        )


def _together(one: Words, other: Words) -> Words:
    """Return what two texts ask for; a word of both counts as often as both say."""
    return {**one, **{word: one.get(word, 0.0) + times for word, times in other.items()}}


def _both(
    known: Known | None, vectors: Vectors, placed: Column, places: Rows, without: int
) -> Column:
    """Return the cosines of `placed` and papers, each together with how it is cited, (r,).

    `vectors` are those of the papers, (r, d), `places` their numbers among the precedents.
    """
    if known is None:
        return np.full(len(vectors), np.nan, dtype=np.float32)
    together = vectors + known.precedents.means(places, without)
    lengths = np.maximum(np.linalg.norm(together, axis=1), 1e-6)
    return np.asarray((together @ placed) / lengths, dtype=np.float32)


class SecondStage:
    """A `Retrieval`, the encoder of its queries, and the trees that order what it finds."""

    def __init__(
        self,
        retrieval: Retrieval,
        ranker: Ranker,
        query_encoder: Encoder,
        drafts: Mapping[Path, int] | None = None,
    ) -> None:
        """`drafts` are the writer's among the documents of the precedents, by their main files."""
        self.retrieval = retrieval
        self._drafts = drafts or {}
        self._ranker = ranker
        self._query_encoder = query_encoder

    def find(
        self,
        context: Context,
        encoder: Encoder,
        *,
        year: int,
        allowed: Allowed | None = None,
        section: Sequence[int] = (),
        draft: Path | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> tuple[Rows, NDArray[np.float32]]:
        """Return the candidates, shape (r,), and their features; see `gather`.

        The search for words runs beside the query encoder, and so does the encoder, of which only
        the draft's title is wanted. `year` is the draft's; `draft` is its main file, so that what
        was kept of it is no witness for itself.

        Raises:
            Cancelled: `cancelled` said so.
        """
        query = read_query(context)
        said = _ASIDE.submit(self.retrieval.said, query)
        titled = _ASIDE.submit(encoder.encode, [context.title], cancelled=cancelled)
        placed = self._query_encoder.encode([asking_text(context)], cancelled=cancelled)[0]
        return self.retrieval.gather(
            Asked(query, year, placed, titled.result()[0]),
            allowed=allowed,
            section=section,
            without=-1 if draft is None else self._drafts.get(draft, -1),
            cancelled=cancelled,
            said=said.result(),
        )

    def score(self, matrix: NDArray[np.float32]) -> Column:
        """Return the probability of each candidate, shape (r, features) to (r,).

        In a corpus of a few papers it may be small for all: one paper is not cited for being alone.
        """
        return self._ranker.probabilities(matrix, rest=_WEIGHT_OF_MANY)


def know(
    corpus: CorpusView, precedents: Precedents, titles_of_last: Vectors | None = None
) -> Known | None:
    """Find the papers and documents of precedents in a corpus; None where it has none of them.

    `titles_of_last` are unit vectors of the titles of the last documents, which the corpus lacks.
    """
    keys = np.asarray(corpus.columns.title_keys)
    places = precedents.find(precedents.papers, keys)
    found = np.flatnonzero(places >= 0)
    if not len(found):
        return None
    rows = np.full(len(precedents), -1, dtype=np.int64)
    rows[places[found[::-1]]] = found[::-1]  # of several records of a paper the first is it
    order = np.argsort(precedents.documents, kind="stable")
    documents = precedents.find(precedents.documents[order], keys)
    there = np.flatnonzero(documents >= 0)
    titles = np.zeros((len(precedents.documents), corpus.vectors.dimensions), dtype=np.float32)
    titles[order[documents[there]]] = corpus.vectors.vectors(there)
    if titles_of_last is not None and len(titles_of_last):
        titles[-len(titles_of_last) :] = titles_of_last
    _, venue, sizes = np.unique(corpus.columns.venues, return_inverse=True, return_counts=True)
    weights = precedents.citations[places[found]].astype(np.float64)
    citations = np.bincount(venue[found], weights, minlength=len(sizes))
    rate = venue_rates(np.asarray(citations, dtype=np.float64), sizes)[venue]
    rate[corpus.columns.venues == 0] = np.nan
    return Known(precedents, places.astype(np.int32), rows, titles, rate)


def venue_rates(citations: NDArray[np.number], sizes: NDArray[np.number]) -> Column:
    """Return how often papers of venues are cited, on average, of their citations and sizes."""
    return np.asarray(citations / (sizes + _VENUE_SHRINK), dtype=np.float32)


def _precedent_orders(known: Known, witness: Witness, allowed: Allowed | None) -> list[Rows]:
    there = known.rows >= 0
    if allowed is not None:
        there &= allowed[np.maximum(known.rows, 0)]
    return [
        known.rows[best_rows(values, RETRIEVED[name], there)]
        for name, values in precedent_figures(witness).items()
    ]


def precedent_figures(witness: Witness) -> dict[str, Column]:
    """Return the figures by which precedents name candidates, under their names in `RETRIEVED`."""
    return {
        "profile": np.asarray(witness.profile * (1 + 0.1 * np.log1p(witness.citations))),
        "alike_words_sum": witness.alike_words_sum,
        "together": damped(witness.together, witness.citations),
        "subject": damped(witness.subject, witness.citations),
    }


def best_rows(scores: Column, count: int, allowed: Allowed | None = None) -> Rows:
    """Return the rows of the greatest scores above 0, in no order."""
    if allowed is not None:
        scores = np.where(allowed, scores, 0.0)
    rows = np.arange(len(scores))
    if count < len(scores):
        rows = np.argpartition(-scores, count)[:count]
    return rows[scores[rows] > 0]


@cache
def _shipped_ranker(folder: Path) -> Ranker:
    return Ranker(folder, CORPUS_FEATURES, recipe="corpus-ranker")


@cache
def _shipped_precedents(folder: Path) -> Precedents:
    return Precedents.open(folder / _PRECEDENTS)


def shipped_precedents() -> Precedents:
    """Return the precedents that ship.

    Raises:
        RankerError: they cannot be read.
    """
    try:
        return _shipped_precedents(shipped_model(MODEL))
    except PrecedentsError as error:
        raise RankerError(str(error)) from error  # to who asks it is one model


@cache
def shipped_precedent_papers() -> NDArray[np.uint64]:
    """Return the title keys of the papers in the precedents that ship: a small part of them.

    Raises:
        RankerError: they cannot be read.
    """
    try:
        return papers_in(shipped_model(MODEL) / _PRECEDENTS)
    except PrecedentsError as error:
        raise RankerError(str(error)) from error


@frozen
class Learned:
    """What was learned from citations, by one encoder's vectors, for no corpus in particular."""

    ranker: Ranker
    query_encoder: Encoder
    precedents: Precedents


def shipped_learning(checkpoint: str) -> Learned | None:
    """Return what ships for vectors of a checkpoint, None where nothing fits them.

    Raises:
        RankerError: what ships cannot be read.
    """
    ranker = _shipped_ranker(shipped_model(MODEL))
    if checkpoint != ranker.checkpoint:
        return None
    precedents = shipped_precedents()
    try:
        return Learned(ranker, shipped_query_encoder(), precedents)
    except EncoderError as error:
        raise RankerError(str(error)) from error


def shipped_second_stage(
    corpus: CorpusView, drafts: Sequence[CitingDraft] = (), encoder: Encoder | None = None
) -> SecondStage | None:
    """Return the second stage that ships for a corpus; None where another encoder embedded it.

    `drafts` are the writer's, `encoder` is what embedded the corpus: it reads their titles.

    Raises:
        RankerError: what ships cannot be read.
    """
    learned = shipped_learning(corpus.manifest.checkpoint)
    if learned is None:
        return None
    precedents = learned.precedents
    try:
        placed_by = learned.query_encoder.fingerprint
        precedents = with_own_references(precedents, corpus, placed_by)
    except SearchIndexError as error:
        log.warning("%s; until then they are left out", error)
    if not drafts:
        return SecondStage(Retrieval(corpus, precedents), learned.ranker, learned.query_encoder)
    first = len(precedents.documents)
    precedents = with_drafts(precedents, drafts, learned.query_encoder.fingerprint)
    titles = encoder.encode([draft.title for draft in drafts]) if encoder is not None else None
    return SecondStage(
        Retrieval(corpus, precedents, known=know(corpus, precedents, titles)),
        learned.ranker,
        learned.query_encoder,
        {draft.root: first + number for number, draft in enumerate(drafts)},
    )
