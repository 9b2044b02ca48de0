"""Every system of task `global` by its name: the Recommender that ships, and baselines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.reference_lists import ReferenceList
from cite_lsp.encode import load_encoder
from cite_lsp.evaluate.baselines.local_systems import (
    EncoderScore,
    PublishedSystem,
    RankedPaper,
    Score,
    by_words,
    installed,
)
from cite_lsp.evaluate.task_pool import MAX_TOKENS, load_pool_encoder, pool_vectors
from cite_lsp.evaluate.tasks.global_recommendation import known_citations
from cite_lsp.evaluate.tasks.local import LocalSystem
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.corpus.corpus_papers import CorpusPapers
from cite_lsp.recommend.published.submodular import Weights, select
from cite_lsp.recommend.query.query import citing_document_text
from cite_lsp.recommend.references.draft_text import text_of_context
from cite_lsp.recommend.references.ranker import rank_missing
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.steps import Stage
from cite_lsp.search.vectors.precision import HalfVectors

GLOBAL_SYSTEMS: tuple[str, ...] = ("bm25", "minilm", "kieu", "default")
"""bm25: words of title and abstract. minilm: the shipped encoder. kieu: the encoder of that recipe,
the list chosen by submodular selection (Kieu et al.). default: what ranks for whole drafts."""
SELECTED_FROM = 300
"""Candidates that selection chooses from."""


@frozen
class KnownOfPapers:
    """What `default` knows beside the papers: lists of references; authors of drafts, by title."""

    citations: Sequence[ReferenceList] = ()
    authors: Mapping[str, tuple[str, ...]] = {}


def open_reference_system(
    name: str,
    corpus: CorpusIndex,
    *,
    encoder: str | None,
    background: KnownOfPapers,
    stage: Stage,
    note: Callable[[str], None],
) -> dict[str, LocalSystem]:
    """Open a system over a pool: its variants by name, the one that bears the system's name last.

    `encoder` is a checkpoint for `kieu`, `background` is what `default` knows beside the papers,
    and `note` is called with what stands in for a missing checkpoint.

    Raises:
        EncoderError: the checkpoint is not there or cannot run.
        SearchIndexError: vectors of the pool cannot be stored.
        RankerError: the ranker that ships cannot be read.
    """
    if name == "bm25":
        return {name: PublishedSystem(corpus, by_words(corpus.words, citing_document_text))}
    if name == "default":
        return {name: WholeDraftSystem(corpus, background)}
    checkpoint = "default" if name == "minilm" else encoder or installed("kieu", note)
    papers = load_pool_encoder(checkpoint)
    vectors = pool_vectors(corpus, papers, stage)
    score = EncoderScore(
        load_encoder(checkpoint, max_tokens=MAX_TOKENS), vectors, citing_document_text
    )
    plain = PublishedSystem(corpus, score)
    if name == "minilm":
        return {name: plain}
    return {"kieu, no selection": plain, name: SelectingSystem(corpus, score, vectors)}


def misfit(name: str, encoder: str | None) -> str:
    """Return why a system would do nothing with a checkpoint; "" where it takes it."""
    takes = encoder is None or name == "kieu"
    return "" if takes else f"system {name} takes no checkpoint; kieu does"


class WholeDraftSystem:
    """Ranks as `cite-lsp references` does for a draft of title, abstract and authors."""

    def __init__(self, corpus: CorpusIndex, background: KnownOfPapers) -> None:
        """Take the pool, and what is known beside it; of newer papers no list counts."""
        self.corpus = corpus
        self._authors, citations = background.authors, background.citations
        self._graph = known_citations(citations, corpus) if citations else None
        self._encoder = load_encoder("default", max_tokens=MAX_TOKENS)

    def rank(
        self,
        context: Context,
        *,
        limit: int = 100,
        allowed: NDArray[np.bool_] | None = None,
        cited: Collection[int] = (),
    ) -> Sequence[RankedPaper]:
        """Return up to `limit` papers, best first; see `PublishedSystem.rank`."""
        rows = np.array(sorted(cited), dtype=np.int64)
        text = text_of_context(context, self._authors.get(context.title, ()))
        ranked = rank_missing(
            CorpusPapers(self.corpus),
            text,
            rows,
            graph=self._graph,
            encoder=self._encoder,
            limit=limit,
            allowed=allowed,
        )
        pairs = zip(ranked.rows, ranked.scores, strict=True)
        return [RankedPaper(int(row), float(score)) for row, score in pairs]


class SelectingSystem:
    """Ranks by a score, then chooses the list by submodular selection from the best."""

    def __init__(self, corpus: CorpusIndex, score: Score, vectors: HalfVectors) -> None:
        """Take what scores the pool, and the vectors of its papers, shape (n, dimensions)."""
        self.corpus = corpus
        self._ranked = PublishedSystem(corpus, score)
        self._vectors = vectors

    def encode_ahead(self, contexts: Sequence[Context]) -> None:
        """See `EncodesAhead`."""
        self._ranked.encode_ahead(contexts)

    def rank(
        self,
        context: Context,
        *,
        limit: int = 100,
        allowed: NDArray[np.bool_] | None = None,
        cited: Collection[int] = (),
    ) -> Sequence[RankedPaper]:
        """Return up to `limit` papers in the order of their choice; see `PublishedSystem.rank`."""
        candidates = self._ranked.rank(
            context, limit=max(limit, SELECTED_FROM), allowed=allowed, cited=cited
        )
        if not candidates:
            return candidates
        scores = np.array([candidate.score for candidate in candidates], dtype=np.float32)
        relevance = (scores - scores.min()) / max(float(np.ptp(scores)), 1e-9)
        vectors = np.asarray(
            self._vectors[[candidate.row for candidate in candidates]], dtype=np.float32
        )
        places = select(relevance, vectors, limit, Weights())
        return [candidates[place] for place in places]
