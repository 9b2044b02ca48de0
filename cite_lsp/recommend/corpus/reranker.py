"""The learned ranking of a corpus: candidates from every order, evidence for each, trees over it.

The candidates come from words, from vectors and from precedents; LambdaMART (Burges 2010) orders
them, and late interaction tells the first apart.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp.encode.model import Cancel, Encoder, reading_of
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.ranker import Ranker, softmax
from cite_lsp.recommend.corpus.candidates import BACKGROUND, Allowed, EncodedQuery, Retrieval
from cite_lsp.recommend.corpus.late_interaction import LateStage
from cite_lsp.recommend.corpus.models import shipped_corpus_models
from cite_lsp.recommend.evidence.corpus_citations import with_own_references
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.evidence.draft_precedents import with_drafts
from cite_lsp.recommend.evidence.draft_versions import versions
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.index import Rows, SearchIndexError

log = logging.getLogger(__name__)

_WEIGHT_OF_MANY = 2.3
"""Logarithm of what the papers of a large corpus weigh together in nineteen of twenty contexts
(231,226 papers, 1,492 development contexts: the fifth percentile is 2.30, the median 4.24)."""


class SecondStage:
    """A `Retrieval`, the encoder of its queries, and the trees that order what it finds."""

    def __init__(
        self,
        retrieval: Retrieval,
        ranker: Ranker,
        query_encoder: Encoder,
        drafts: Mapping[Path, int] | None = None,
        late: LateStage | None = None,
    ) -> None:
        """`drafts` are the writer's among the documents of the precedents, by their main files.

        Without a `late` stage the order is that of the trees alone.
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
        year: int,
        allowed: Allowed | None = None,
        section: Sequence[int] = (),
        draft: Path | None = None,
        cancelled: Cancel | None = None,
    ) -> tuple[Rows, NDArray[np.float32]]:
        """Return the candidates, shape (r,), and their features; see `gather`.

        The search for words runs beside the query encoder, and so does the encoder, of which only
        the draft's title is wanted. `year` is the draft's; `draft` is its main file, so that what
        was kept of it is no witness for itself.

        Raises:
            Cancelled: `cancelled` said so.
        """
        query = read_query(context)
        said = BACKGROUND.submit(self.retrieval.window_scores, query)
        titled = BACKGROUND.submit(encoder.encode, [context.title], cancelled=cancelled)
        placed = self._query_encoder.encode([query_text(context)], cancelled=cancelled)[0]
        return self.retrieval.gather(
            EncodedQuery(query, year, placed, titled.result()[0]),
            allowed=allowed,
            section=section,
            without=-1 if draft is None else self._drafts.get(draft, -1),
            cancelled=cancelled,
            window_scores=said.result(),
        )

    def score(self, context: Context, rows: Rows, matrix: NDArray[np.float32]) -> Column:
        """Return the probability of each candidate, shape (r,), of their features (r, features).

        In a corpus of a few papers it may be small for all: one paper is not cited for being alone.
        """
        logits = self._ranker.logits(matrix)
        if self._late is not None and len(rows):
            logits = self._told_apart(self._late, context, rows, logits)
        return softmax(logits, rest=_WEIGHT_OF_MANY)

    def _told_apart(
        self,
        late: LateStage,
        context: Context,
        rows: Rows,
        logits: Column,
    ) -> Column:
        """Return logits (r,) in which the first papers are told apart word by word."""
        reading = reading_of(self._query_encoder, query_text(context))
        if reading is None:
            return logits
        first = np.argsort(-logits, kind="stable")[: late.first]
        titles = [self.retrieval.corpus.title(row) for row in rows[first].tolist()]
        told = logits.copy()
        told[first] += late.added(reading, titles)
        return np.asarray(told / late.temperature)


def shipped_second_stage(
    corpus: CorpusView, drafts: Sequence[CitingDraft] = (), encoder: Encoder | None = None
) -> SecondStage | None:
    """Return the second stage that ships for a corpus; None where another encoder embedded it.

    `drafts` are the writer's, the newest first; of several versions of one only that one counts.
    `encoder` is what embedded the corpus: it reads their titles.

    Raises:
        RankerError: what ships cannot be read.
    """
    learned = shipped_corpus_models(corpus.manifest.checkpoint)
    if learned is None:
        return None
    precedents = learned.precedents
    try:
        encoder_fingerprint = learned.query_encoder.fingerprint
        precedents = with_own_references(precedents, corpus, encoder_fingerprint)
    except SearchIndexError as error:
        log.warning("%s; until then they are left out", error)
    if not drafts:
        return SecondStage(
            Retrieval(corpus, precedents), learned.ranker, learned.query_encoder, late=learned.late
        )
    first, version = len(precedents.documents), versions(drafts)
    newest = {number: place for place, number in enumerate(dict.fromkeys(version))}
    others = [drafts[number] for number in newest]
    precedents = with_drafts(precedents, others, learned.query_encoder.fingerprint)
    titles = encoder.encode([draft.title for draft in others]) if encoder is not None else None
    return SecondStage(
        Retrieval(corpus, precedents, linked=link_precedents(corpus, precedents, titles)),
        learned.ranker,
        learned.query_encoder,
        {draft.root: first + newest[number] for draft, number in zip(drafts, version, strict=True)},
        learned.late,
    )
