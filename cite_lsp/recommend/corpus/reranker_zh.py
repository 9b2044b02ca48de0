"""The learned ranking of a corpus for Chinese contexts: candidates, features, ranker.

The ranker (LambdaMART, Burges 2010) was trained on Chinese drafts that cite English papers
(`cite_lsp.train.rankers.bilingual_ranker`); papers in Chinese are retrieved by the same words and
vectors, and ranked in the same list.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder, EncoderError, Vectors, unit
from cite_lsp.manuscript.model import Context
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column, top_ranks
from cite_lsp.recommend.base.method import Allowed
from cite_lsp.recommend.base.ranker import Ranker, RankerError
from cite_lsp.recommend.corpus.candidates import best_rows, nearest_rows
from cite_lsp.recommend.corpus.features import Candidates, Section
from cite_lsp.recommend.corpus.features_zh import (
    BILINGUAL_FEATURES,
    BILINGUAL_PLACE,
    DENSE_ORDERS,
    WORD_ORDERS,
    bilingual_features,
)
from cite_lsp.recommend.corpus.ranking import Candidate, candidates_of, probabilities
from cite_lsp.recommend.query.encoder_input import shipped_chinese_query_encoder
from cite_lsp.recommend.query.query import BilingualQuery, read_bilingual
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.word_index import WordQuery
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

MODEL = "bilingual-ranker"
RETRIEVED = {
    "faded": 150,
    "words_near": 80,
    "words_close": 40,
    "words_wide": 60,
    "latin_near": 80,
    "near": 150,
    "wide": 60,
    "translated_near": 120,
    "placed": 150,
    "section": 120,
}
"""Candidates from each order; most papers are among those of several."""
_SHIFT = -0.53
"""What is added to the logits: the sum of e^logit in a large corpus is then exceeded in nineteen of
twenty contexts as that of English ones is (13,234 papers, 400 development contexts: the fifth
percentile of its logarithm is 2.83, see `WEIGHT_OF_CORPUS`)."""


class BilingualRetrieval:
    """Retrieves candidates for Chinese contexts from one corpus, and computes their features.

    Safe to share.
    """

    def __init__(
        self,
        corpus: CorpusView,
        translator: DictionaryTranslator,
        query_encoder: Encoder | None = None,
    ) -> None:
        """Without a query encoder its features are missing."""
        self.corpus = corpus
        self.translator = translator
        self.query_encoder = query_encoder

    def gather(
        self,
        context: Context,
        encoder: Encoder,
        *,
        allowed: Allowed | None = None,
        section: Sequence[int] = (),
        cancelled: Cancel | None = None,
    ) -> tuple[Rows, NDArray[np.float32]]:
        """Return candidates, shape (r,), and their features, (r, len(BILINGUAL_FEATURES)).

        `section` are the distinct rows that the section cites already.

        Raises:
            Cancelled: `cancelled` said so.
        """
        query = read_bilingual(context, self.translator)
        stop_if(cancelled)
        words = self._word_scores(query)
        stop_if(cancelled)
        vectors = encoder.encode(_dense_texts(query), cancelled=cancelled)
        vectors = np.concatenate([vectors, self._placed(query, vectors.shape[1], cancelled)])
        cited = Section.of(self.corpus, section)
        rows = self._candidates(words, vectors, cited, allowed)
        stop_if(cancelled)
        candidates = Candidates.of(self.corpus, rows)
        orders = {name: scores[rows] for name, scores in words.items()}
        orders |= dict(zip(DENSE_ORDERS, vectors @ candidates.vectors.T, strict=True))
        if self.query_encoder is None:
            orders["placed"] = np.full(len(rows), np.nan, dtype=np.float32)
        return rows, bilingual_features(query, candidates, orders, cited, self.corpus)

    def _placed(self, query: BilingualQuery, width: int, cancelled: Cancel | None) -> Vectors:
        if self.query_encoder is None:
            return np.zeros((1, width), dtype=np.float32)
        return self.query_encoder.encode([query.query_text], cancelled=cancelled)

    def _word_scores(self, query: BilingualQuery) -> dict[str, Column]:
        index = self.corpus.words
        scores = (
            index.scores(query.faded),
            index.scores(query.near_words),
            index.scores(query.close_words),
            index.scores(query.sentence_words),
            index.scores(query.wide_words),
            index.scores(query.topic_words),
            index.scores(" ".join(query.latin_near)),
            index.scores(" ".join(query.latin_close)),
        )
        return dict(zip(WORD_ORDERS, scores, strict=True))

    def _candidates(
        self,
        words: dict[str, Column],
        vectors: Vectors,
        section: Section,
        allowed: Allowed | None,
    ) -> Rows:
        orders = [
            best_rows(words[name], RETRIEVED[name], allowed)
            for name in WORD_ORDERS
            if name in RETRIEVED
        ]
        for name, vector in zip(DENSE_ORDERS, vectors, strict=True):
            if name in RETRIEVED and vector.any():
                orders.append(nearest_rows(self.corpus.vectors, vector, RETRIEVED[name], allowed))
        if len(section.rows):
            cited = section.rows
            orders.append(cited if allowed is None else cited[allowed[cited]])
            centre = unit(section.vectors.mean(axis=0))
            orders.append(nearest_rows(self.corpus.vectors, centre, RETRIEVED["section"], allowed))
        return np.unique(np.concatenate(orders)).astype(np.int64)


class BilingualStage:
    """A `BilingualRetrieval` and the ranker of its candidates. Safe to share."""

    def __init__(self, retrieval: BilingualRetrieval, ranker: Ranker) -> None:
        self.retrieval = retrieval
        self._ranker = ranker

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
        """Return up to `limit` papers of the corpus that a Chinese context may cite, best first.

        Which `draft` it is does not matter: there are no precedents.

        Raises:
            Cancelled: `cancelled` said so.
        """
        rows, matrix = self.retrieval.gather(
            context, encoder, allowed=allowed, section=section, cancelled=cancelled
        )
        stop_if(cancelled)
        logits = self._ranker.logits(matrix) + _SHIFT
        order = np.argsort(-logits, kind="stable")
        cosines = matrix[:, [BILINGUAL_PLACE[name] for name in ("near", "translated_near")]]
        similarity = cosines.max(axis=1)[order]
        figures = (
            rows[order],
            probabilities(logits)[order],
            similarity,
            matrix[order, BILINGUAL_PLACE["section_nearest"]],
            np.full(len(order), np.nan, dtype=np.float32),
            top_ranks(similarity),
            logits[order],
        )
        return candidates_of(*(figure[:limit] for figure in figures))


def _dense_texts(query: BilingualQuery) -> list[str]:
    return [
        query.near,
        query.close,
        query.sentence,
        query.wide,
        query.topic,
        query.abstract,
        query.near_en,
    ]


@cache
def _shipped_ranker(folder: Path) -> Ranker:
    return Ranker(folder, BILINGUAL_FEATURES, recipe=MODEL)


def shipped_bilingual_stage(corpus: CorpusView) -> BilingualStage | None:
    """Return the stage that ships, for a corpus; None if it has vectors of another encoder.

    Raises:
        RankerError: what ships cannot be read.
    """
    ranker = _shipped_ranker(shipped_model(MODEL))
    if corpus.manifest.checkpoint != ranker.checkpoint:
        return None
    retrieval = BilingualRetrieval(corpus, shipped_translator(), _query_encoder())
    return BilingualStage(retrieval, ranker)


def _query_encoder() -> Encoder:
    try:
        return shipped_chinese_query_encoder()
    except EncoderError as error:
        raise RankerError(str(error)) from error  # to the user it is one model


@frozen
class BilingualSearches:
    """The searches of a remote corpus for a Chinese context: words, and vectors (v, d)."""

    words: tuple[WordQuery, ...]
    vectors: Vectors


def bilingual_searches(context: Context, encoder: Encoder) -> BilingualSearches:
    """Return the searches that find most of the papers for a Chinese context.

    Raises:
        RankerError: what ships cannot be read.
    """
    query = read_bilingual(context, shipped_translator())
    vectors = encoder.encode([query.near, query.near_en])
    placed = _query_encoder().encode([query.query_text])
    words = (query.faded, query.wide_words, " ".join(query.latin_near))
    return BilingualSearches(words, np.concatenate([vectors, placed]))
