"""Features of how others cited the papers of a library before, and their weights.

Others cited the same papers in similar contexts, whatever the words. Which papers of a library have
precedents depends on its subject: the features are 0 for all others, and a library without
precedents is ranked as if there were none.
"""

from __future__ import annotations

import logging
from collections.abc import Hashable, Sequence
from functools import cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.ranker import read_weights
from cite_lsp.recommend.evidence.corpus_citations import with_own_references
from cite_lsp.recommend.evidence.corpus_precedents import (
    shipped_precedent_papers,
    shipped_precedents,
)
from cite_lsp.recommend.evidence.other_drafts import USUAL_COSINE
from cite_lsp.recommend.evidence.precedents import PrecedentEvidence, Precedents, damped
from cite_lsp.recommend.query.query import Query
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.vector_index import SearchIndexError
from cite_lsp.storage.array_folder import places_in
from cite_lsp.storage.caches import ByObject, LastUsed

log = logging.getLogger(__name__)


MODEL = "cited-before"
FEATURES = ("alike", "alike_new", "contexts", "sense", "wording", "together")
"""alike: the greatest cosine between the query vector and a context that cites the paper, less
`USUAL_COSINE`. alike_new: the same if the draft does not cite the paper yet, else 0. contexts:
log(1 + number of contexts that cite it). sense, wording: similarity to all of them, by the query
encoder and by words, divided by the root of their number. together: log(1 + co-citation with what
the section cites), divided by the root of its citations. All are 0 for papers without
precedents."""


class CitedBeforeCache:
    """The `CitedBefore` of each library, from the precedents that ship and those of corpora.

    Thread-safe. The two are merged once, however many libraries there are, and however often one
    changes.
    """

    def __init__(self) -> None:
        self._cache: ByObject[Pool, tuple[list[CorpusView], CitedBefore | None]] = ByObject()
        self._merged: tuple[str, list[CorpusView], Precedents] | None = None
        self._lock = Lock()

    def update(
        self,
        pool: Pool,
        checkpoint: str,
        encoder_fingerprint: str,
        corpora: Sequence[CorpusView] = (),
    ) -> None:
        """Compute the `CitedBefore` of a pool, unless it is cached; takes a while.

        Args:
            pool: the papers of a library.
            checkpoint: the weights of the encoder of its vectors, as precedents name theirs.
            encoder_fingerprint: the fingerprint of the query encoder.
            corpora: their citations are added to the precedents that ship; a corpus with damaged
                references is left out, with a warning.

        Raises:
            RankerError: the precedents that ship, or the weights, cannot be read.
        """
        shipped_weights()
        citing = [corpus for corpus in corpora if _has_references(corpus)]
        cached = self._cache.get(pool)
        if cached is None or cached[0] != citing:
            cited_before = self._cited_before(pool, checkpoint, encoder_fingerprint, citing)
            self._cache.keep(pool, (citing, cited_before))

    def of(self, pool: Pool) -> CitedBefore | None:
        """Return the `CitedBefore` of a pool; None before it is computed, or without precedents."""
        cached = self._cache.get(pool)
        return cached[1] if cached is not None else None

    def _cited_before(
        self, pool: Pool, checkpoint: str, encoder_fingerprint: str, citing: list[CorpusView]
    ) -> CitedBefore | None:
        keys = title_keys(pool.papers)
        if not citing and not np.isin(keys, shipped_precedent_papers()).any():
            return None  # most libraries on other subjects: the precedents are not even read
        if shipped_precedents().checkpoint != checkpoint:
            return None
        cited_before = CitedBefore(self._precedents(encoder_fingerprint, citing), keys)
        return cited_before if len(cited_before) else None

    def _precedents(self, encoder_fingerprint: str, citing: list[CorpusView]) -> Precedents:
        if not citing:
            return shipped_precedents()
        with self._lock:
            if self._merged is None or self._merged[:2] != (encoder_fingerprint, citing):
                self._merged = encoder_fingerprint, citing, _merged(encoder_fingerprint, citing)
            return self._merged[2]


def _has_references(corpus: CorpusView) -> bool:
    try:
        return corpus.references is not None and len(corpus.references) > 0
    except SearchIndexError:
        return True  # the error is logged where they are read


def _merged(encoder_fingerprint: str, citing: Sequence[CorpusView]) -> Precedents:
    precedents = shipped_precedents()
    for corpus in citing:
        try:
            precedents = with_own_references(precedents, corpus, encoder_fingerprint)
        except SearchIndexError as error:
            log.warning("%s; until then how its papers are cited does not count", error)
    return precedents


class CitedBefore:
    """The precedents of the n papers of a library. Safe to share."""

    def __init__(self, precedents: Precedents, keys: NDArray[np.uint64]) -> None:
        """Take the precedents, and the title keys of the papers of the library, shape (n,)."""
        papers = np.flatnonzero(np.isin(precedents.papers, keys))
        self._precedents = precedents.only(papers)
        self._places = places_in(precedents.papers[papers], keys)
        self._rows = np.flatnonzero(self._places >= 0)
        self._cache: LastUsed[Hashable, PrecedentEvidence] = LastUsed()

    def __len__(self) -> int:
        """Return how many papers of the library have precedents."""
        return len(self._rows)

    def features(
        self, context: Context, query: Query, pool: Pool, query_vector: Column | None, times: Column
    ) -> NDArray[np.float32]:
        """Return `FEATURES` of each paper of the library for a context, shape (n, 6).

        Args:
            context: the place where a citation is wanted.
            query: its windows.
            pool: the papers of the library.
            query_vector: the query encoder's vector of the context, shape (d,); None without one.
            times: how often the rest of the draft cites each paper, shape (n,).
        """
        section = self._places[pool.rows(context.section_cited)]
        evidence = self._evidence(query, query_vector, section[section >= 0])
        places = self._places[self._rows]
        contexts, citations = evidence.contexts[places], evidence.citations[places]
        alike = np.zeros(len(places), dtype=np.float32)
        sense = np.zeros(len(places), dtype=np.float32)
        if query_vector is not None:
            alike = np.where(contexts > 0, evidence.alike[places] - USUAL_COSINE, 0.0)
            sense = damped(evidence.alike_sum[places], contexts)
        features = np.zeros((len(self._places), len(FEATURES)), dtype=np.float32)
        features[self._rows] = np.stack(
            [
                alike,
                np.where(times[self._rows] > 0, 0.0, alike),
                np.log1p(contexts),
                sense,
                damped(evidence.alike_words_sum[places], contexts),
                damped(np.log1p(evidence.together[places]), citations),
            ],
            axis=1,
        )
        return features

    def _evidence(
        self, query: Query, query_vector: Column | None, section: NDArray[np.int64]
    ) -> PrecedentEvidence:
        """Return the evidence of precedents, cached: a key is typed letter by letter."""
        vector_bytes = query_vector.tobytes() if query_vector is not None else b""
        # All that `near_words` depends on: a translator may be loaded between two requests.
        words = query.near, query.near_sides, query.translation
        cache_key = (words, vector_bytes, tuple(section.tolist()))
        evidence = self._cache.get(cache_key)
        if evidence is None:
            zero_vector = np.zeros(self._precedents.dimensions, dtype=np.float32)
            evidence = self._precedents.evidence(
                zero_vector if query_vector is None else query_vector,
                query.near_words,
                cited=section.tolist(),
            )
            self._cache.keep(cache_key, evidence)
        return evidence


def title_keys(papers: Sequence[Paper]) -> NDArray[np.uint64]:
    """Return the title key of each paper, shape (n,)."""
    return np.array([title_key(paper) for paper in papers], dtype=np.uint64)


@cache
def shipped_weights() -> Column:
    """Return the weights of `FEATURES` in the logit of a paper, shape (6,).

    Raises:
        RankerError: they cannot be read.
    """
    return read_weights(shipped_model(MODEL), FEATURES)
