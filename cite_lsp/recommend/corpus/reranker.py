"""The second stage: the learned ranking of candidates from a corpus.

Candidates come from words, from vectors and from precedents; LambdaMART (Burges 2010) ranks them,
and late interaction reranks the first.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder, EncoderError, reading_of
from cite_lsp.manuscript.model import Context
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column, top_ranks
from cite_lsp.recommend.base.method import Allowed
from cite_lsp.recommend.base.ranker import Ranker, RankerError
from cite_lsp.recommend.corpus.candidates import BACKGROUND, Retrieval
from cite_lsp.recommend.corpus.features import CORPUS_FEATURES, FEATURE_PLACE, EncodedQuery
from cite_lsp.recommend.corpus.late_interaction import LateStage, shipped_late_stage
from cite_lsp.recommend.corpus.ranking import Candidate, candidates_of, probabilities
from cite_lsp.recommend.evidence.corpus_citations import with_own_references
from cite_lsp.recommend.evidence.corpus_precedents import MODEL, link_precedents, shipped_precedents
from cite_lsp.recommend.evidence.draft_versions import NO_DRAFTS, DraftVersions, with_drafts
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.query.encoder_input import query_text, shipped_query_encoder
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.vector_index import Rows, SearchIndexError


@cache
def _shipped_ranker(folder: Path) -> Ranker:
    return Ranker(folder, CORPUS_FEATURES, recipe="corpus-ranker")


@frozen
class CorpusModels:
    """The models for corpora with the vectors of one encoder."""

    ranker: Ranker
    query_encoder: Encoder
    precedents: Precedents
    late: LateStage | None = None


def shipped_corpus_models(checkpoint: str) -> CorpusModels | None:
    """Return the models that ship for vectors of a checkpoint; None if they are for others.

    Raises:
        RankerError: a model cannot be read.
    """
    ranker = _shipped_ranker(shipped_model(MODEL))
    if checkpoint != ranker.checkpoint:
        return None
    precedents = shipped_precedents()
    try:
        query_encoder = shipped_query_encoder()
        late = shipped_late_stage(query_encoder.fingerprint)
        return CorpusModels(ranker, query_encoder, precedents, late)
    except EncoderError as error:
        raise RankerError(str(error)) from error


log = logging.getLogger(__name__)


SIMILAR_PLACE = 0.5
"""Cosine of a paper and the query vector from which on their similarity is a reason: six in ten of
the first ten papers have it, and they are right twice as often as the others."""


class SecondStage:
    """A `Retrieval`, the encoder of its queries, and the ranker of its candidates."""

    def __init__(
        self,
        retrieval: Retrieval,
        ranker: Ranker,
        query_encoder: Encoder,
        drafts: Mapping[Path, int] | None = None,
        late: LateStage | None = None,
    ) -> None:
        """`drafts` are the indexes of the writer's drafts among the citing documents, by main file.

        Without a `late` stage the order is that of the ranker alone.
        """
        self.retrieval = retrieval
        self._drafts = drafts or {}
        self._ranker = ranker
        self._query_encoder = query_encoder
        self._late = late

    def find(
        self,
        context: Context,
        encoder: Encoder,
        *,
        allowed: Allowed | None = None,
        section: Sequence[int] = (),
        draft: Path | None = None,
        cancelled: Cancel | None = None,
    ) -> tuple[Rows, NDArray[np.float32]]:
        """Return the candidates, shape (r,), and their features; see `gather`.

        The words are searched, and the draft's title is encoded, beside the query encoder. `draft`
        is the main file of the draft, which is left out of the precedents.

        Raises:
            Cancelled: `cancelled` said so.
        """
        windows = read_query(context)
        window_scores = BACKGROUND.submit(self.retrieval.window_scores, windows)
        title_vector = BACKGROUND.submit(encoder.encode, [context.title], cancelled=cancelled)
        vector = self._query_encoder.encode([query_text(context)], cancelled=cancelled)[0]
        year = context.year or date.today().year  # a draft without a year is being written now
        return self.retrieval.gather(
            EncodedQuery(windows, year, vector, title_vector.result()[0]),
            allowed=allowed,
            section=section,
            without=-1 if draft is None else self._drafts.get(draft, -1),
            cancelled=cancelled,
            window_scores=window_scores.result(),
        )

    def rank(
        self,
        context: Context,
        encoder: Encoder,
        *,
        allowed: Allowed | None = None,
        section: Sequence[int] = (),
        draft: Path | None = None,
        limit: int = 100,
        cancelled: Cancel | None = None,
    ) -> list[Candidate]:
        """Return up to `limit` papers of the corpus, best first; for what is given see `find`."""
        rows, matrix = self.find(
            context, encoder, allowed=allowed, section=section, draft=draft, cancelled=cancelled
        )
        stop_if(cancelled)
        logits = self.logits(context, rows, matrix)
        scores = probabilities(logits)
        best = np.argsort(-scores, kind="stable")[:limit]
        placed, nearest, citations = (
            matrix[best, FEATURE_PLACE[name]] for name in ("placed", "section_nearest", "citations")
        )
        similarity = np.where(placed >= SIMILAR_PLACE, placed, np.nan)
        place = top_ranks(matrix[:, FEATURE_PLACE["placed"]])[best]
        figures = (rows[best], scores[best], similarity, nearest, np.expm1(citations), place)
        return candidates_of(*figures, logits[best])

    def logits(self, context: Context, rows: Rows, matrix: NDArray[np.float32]) -> Column:
        """Return the logit of each candidate, shape (r,), from their features (r, features).

        Those of several corpora compare.
        """
        logits = self._ranker.logits(matrix)
        if self._late is not None and len(rows):
            logits = self._with_late_interaction(self._late, context, rows, logits)
        return logits

    def _with_late_interaction(
        self,
        late: LateStage,
        context: Context,
        rows: Rows,
        logits: Column,
    ) -> Column:
        """Return the logits (r,) with late interaction added to those of the first papers."""
        reading = reading_of(self._query_encoder, query_text(context))
        if reading is None:
            return logits
        first = np.argsort(-logits, kind="stable")[: late.first]
        titles = [self.retrieval.corpus.title(row) for row in rows[first].tolist()]
        reranked = logits.copy()
        reranked[first] += late.added(reading, titles)
        return np.asarray(reranked / late.temperature)


def shipped_second_stage(
    corpus: CorpusView, drafts: DraftVersions = NO_DRAFTS, encoder: Encoder | None = None
) -> SecondStage | None:
    """Return the second stage that ships for a corpus; None if it has vectors of another encoder.

    `drafts` are the writer's; of several versions of a draft the newest counts.
    `encoder` is that of the corpus: it encodes their titles.

    Raises:
        RankerError: what ships cannot be read.
    """
    models = shipped_corpus_models(corpus.manifest.checkpoint)
    if models is None:
        return None
    precedents = models.precedents
    try:
        encoder_fingerprint = models.query_encoder.fingerprint
        precedents = with_own_references(precedents, corpus, encoder_fingerprint)
    except SearchIndexError as error:
        log.warning("%s; until then they are left out", error)
    titles, newest = None, drafts.newest()
    place = {number: len(precedents.documents) + place for place, number in enumerate(newest)}
    if newest:
        precedents = with_drafts(precedents, [*newest.values()], models.query_encoder.fingerprint)
        if encoder is not None:
            titles = encoder.encode([draft.title for draft in newest.values()])
    return SecondStage(
        Retrieval(corpus, link_precedents(corpus, precedents, titles)),
        models.ranker,
        models.query_encoder,
        {draft.root: place[number] for number, draft in drafts.numbered()},
        models.late,
    )
