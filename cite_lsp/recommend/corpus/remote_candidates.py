"""Candidates of a remote corpus for a context: retrieved there, ranked here.

Vectors, weighted hashes of words, and ids of papers and titles leave the machine; no text. The
server returns ids, unknown papers are fetched once, and these few hundred papers are ranked like
those of a corpus on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from datetime import date
from functools import cached_property
from itertools import chain

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Encoder
from cite_lsp.manuscript import Context
from cite_lsp.recommend.corpus.candidates import RETRIEVED, Retrieval, best_rows
from cite_lsp.recommend.corpus.features import EncodedQuery
from cite_lsp.recommend.corpus.ranking import RANKED, Candidate, CorpusReasons
from cite_lsp.recommend.corpus.recommender import CorpusRecommender
from cite_lsp.recommend.corpus.reranker import CorpusModels, SecondStage
from cite_lsp.recommend.corpus.reranker_zh import BilingualSearches, bilingual_searches
from cite_lsp.recommend.evidence.corpus_precedents import (
    CorpusPrecedents,
    linked_papers,
    precedent_scores,
)
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.recommend.query.query import Query, read_query
from cite_lsp.search.milvus.corpus import MilvusCorpus
from cite_lsp.search.milvus.schema import signed_key
from cite_lsp.search.remote.fetched_corpus import FetchedCorpus, FetchedPaper
from cite_lsp.search.vectors.precision import cosines
from cite_lsp.search.vectors.precision import encoded as in_precision
from cite_lsp.search.words.query_words import query_words
from cite_lsp.search.words.sparse_weights import query_weights
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.search.words.typed_words import TypedWords
from cite_lsp.search.words.word_index import WordQuery, word_counts
from cite_lsp.storage.array_folder import places_in

WORD_CANDIDATES, VECTOR_CANDIDATES = RETRIEVED["near_words"], RETRIEVED["placed"]
"""Candidates requested by each search for words, and for vectors."""


@frozen(eq=False)
class RemotePrecedents:
    """Precedents as a remote corpus sees them, found out once.

    numbers: the number there of each paper of the precedents, -1 where it has none, (m,).
    titles: vectors of the citing documents that it has, in eight bits, 0 of the others, (d, width).
    """

    precedents: Precedents
    numbers: NDArray[np.int64]
    titles: NDArray[np.int8]

    def link(self, corpus: FetchedCorpus) -> CorpusPrecedents:
        """Return the precedents, linked with fetched papers."""
        places, rows = linked_papers(self.precedents, np.asarray(corpus.columns.title_keys))
        return CorpusPrecedents(self.precedents, places, rows, self.titles)


def find_precedents(
    corpus: MilvusCorpus, precedents: Precedents, *, timeout: float
) -> RemotePrecedents:
    """Find out which papers and documents of precedents a remote corpus has.

    Raises:
        RemoteError: the server does not answer in time.
    """
    numbers = np.full(len(precedents), -1, dtype=np.int64)
    place_of = {signed_key(key): place for place, key in enumerate(precedents.papers.tolist())}
    for paper in corpus.titled(list(place_of), timeout=timeout):
        numbers[place_of[paper.key]] = paper.id
    titles = np.zeros((len(precedents.documents), corpus.about.dimensions), dtype=np.int8)
    document_of: dict[int, int] = {}
    for at, key in enumerate(precedents.documents.tolist()):
        document_of.setdefault(signed_key(key), at)  # of several of one title the first, as on disk
    for paper in corpus.titled(list(document_of), vectors=True, timeout=timeout):
        if paper.vector is not None:
            titles[document_of[paper.key]] = in_precision(paper.vector[None], "i8")
    return RemotePrecedents(precedents, numbers, titles)


@frozen(eq=False, slots=False)
class RankedCandidates:
    """The candidates for a context, best first."""

    corpus: FetchedCorpus
    reasons: CorpusReasons
    candidates: tuple[Candidate, ...]
    cited: tuple[int, ...]
    """Rows that the section cites already."""

    def matching(self, typed: str) -> NDArray[np.bool_] | None:
        """Return which papers match what is typed, shape (n,); None if nothing is typed."""
        return self._typed_words.matching(typed) if typed.strip() else None

    @cached_property
    def _typed_words(self) -> TypedWords:
        return TypedWords.build(map(self.corpus.paper, range(len(self.corpus))))


@frozen(eq=False)
class RemoteRetrieval:
    """Retrieves and ranks the papers of one remote corpus. Safe to share between threads.

    `encoder` fits the corpus's vectors; without one, candidates come by words alone. `learned` and
    `acquaintance` belong to the second stage; without them phases 1 and 2 are fused.
    """

    corpus: MilvusCorpus
    encoder: Encoder | None
    models: CorpusModels | None
    precedents: RemotePrecedents | None
    executor: Executor
    timeout: float

    def rank(self, context: Context, cited: Sequence[int]) -> RankedCandidates:
        """Rank papers for a context.

        Args:
            context: where a citation is wanted.
            cited: `title_key`s of the papers that the section cites.

        Raises:
            RemoteError: the server does not answer in time.
        """
        query = read_query(context)
        bilingual = self._bilingual(context)
        cited_ids = self.executor.submit(self._paper_ids, cited)
        encoded = self._encoded_query(query, context) if bilingual is None else None
        vector_ids = self.executor.submit(self._by_vectors, query, encoded, bilingual)
        orders = [self._by_words(query, bilingual)]
        section = cited_ids.result()
        orders += [vector_ids.result(), [section], self._by_precedents(encoded, cited)]
        paper_ids = list(chain.from_iterable(chain.from_iterable(orders)))
        fetched = self.corpus.fetch(paper_ids, timeout=self.timeout)
        corpus = FetchedCorpus(self.corpus.manifest, fetched, self.corpus.statistics)
        recommender = self._recommender(corpus)
        rows = tuple(sorted(set(corpus.rows(section))))
        candidates = recommender.rank(context, limit=RANKED, cited=rows)
        return RankedCandidates(corpus, recommender.reasons, tuple(candidates), rows)

    def typed(self, text: str, limit: int) -> list[FetchedPaper]:
        """Return papers that have the words of a text or words that begin so, the newest first.

        Where the text is the DOI or the arXiv number of papers, it is them alone. Half a word finds
        nothing by itself: it is compared with what the whole words find.

        Raises:
            RemoteError: the server does not answer in time.
        """
        if numbered := self.numbered(text):
            return numbered[:limit]
        words = tokenise(text)
        weights = query_weights(words, self.corpus.statistics)
        paper_ids = self.corpus.with_words([weights], WORD_CANDIDATES, timeout=self.timeout)[0]
        if not self.corpus.has_words and self.encoder is not None and words:
            vector = self.encoder.encode([text])
            paper_ids = self.corpus.nearest(vector, WORD_CANDIDATES, timeout=self.timeout)[0]
        fetched = self.corpus.fetch(paper_ids, timeout=self.timeout)
        allowed = TypedWords.build([fetched_paper.paper for fetched_paper in fetched]).matching(
            text
        )
        if allowed is None:
            return []
        matching = [
            fetched_paper for fetched_paper, fits in zip(fetched, allowed, strict=True) if fits
        ]
        return sorted(matching, key=lambda paper: -(paper.paper.year or 0))[:limit]

    def numbered(self, text: str) -> list[FetchedPaper]:
        """Return the papers whose DOI or arXiv number a text is.

        Raises:
            RemoteError: the server does not answer in time.
        """
        paper_ids = self.corpus.numbered(text, timeout=self.timeout)
        return self.corpus.fetch(paper_ids, timeout=self.timeout) if paper_ids else []

    def _bilingual(self, context: Context) -> BilingualSearches | None:
        """Return the searches for a Chinese context, None if it is not, or models are missing."""
        if context.language != "zh" or self.encoder is None or self.models is None:
            return None
        return bilingual_searches(context, self.encoder)

    def _by_words(self, query: Query, bilingual: BilingualSearches | None) -> list[list[int]]:
        words: tuple[WordQuery, ...] = (
            query.near_words,
            query_words(f"{query.topic} {query.wide}"),
        )
        if bilingual is not None:
            words = bilingual.words
        weights = [
            query_weights(word_counts(word_query), self.corpus.statistics) for word_query in words
        ]
        return self.corpus.with_words(weights, WORD_CANDIDATES, timeout=self.timeout)

    def _encoded_query(self, query: Query, context: Context) -> EncodedQuery | None:
        """Return the context as the second stage reads it, None without that stage.

        Chinese contexts have other searches, see `bilingual_searches`.
        """
        if self.models is None or self.encoder is None:
            return None
        placed = self.models.query_encoder.encode([query_text(context)])[0]
        title = self.encoder.encode([context.title])[0]
        return EncodedQuery(query, context.year or date.today().year, placed, title)

    def _by_vectors(
        self, query: Query, encoded: EncodedQuery | None, bilingual: BilingualSearches | None
    ) -> list[list[int]]:
        if bilingual is not None:
            vectors = bilingual.vectors
        elif encoded is not None:
            vectors = encoded.vector[None]
        elif self.encoder is not None:
            vectors = self.encoder.encode([query.near, query.wide])
        else:
            return []
        return self.corpus.nearest(vectors, VECTOR_CANDIDATES, timeout=self.timeout)

    def _paper_ids(self, keys: Sequence[int]) -> list[int]:
        if not keys:
            return []
        return [paper.id for paper in self.corpus.titled(keys, timeout=self.timeout)]

    def _by_precedents(self, encoded: EncodedQuery | None, cited: Sequence[int]) -> list[list[int]]:
        linked = self.precedents
        if linked is None or encoded is None:
            return []
        keys = np.array(sorted(set(cited)), dtype=np.uint64)
        places = places_in(linked.precedents.papers, keys)
        evidence = linked.precedents.evidence(
            encoded.vector,
            encoded.windows.near,
            cited=[int(place) for place in places if place >= 0],
            subject=cosines(linked.titles, encoded.title),
        )
        present = linked.numbers >= 0
        return [
            linked.numbers[best_rows(figure, RETRIEVED[name], present)].tolist()
            for name, figure in precedent_scores(evidence).items()
        ]

    def stage(self, corpus: FetchedCorpus) -> SecondStage | None:
        """Return the second stage over fetched papers, None if models are missing."""
        models, precedents = self.models, self.precedents
        if models is None or precedents is None or self.encoder is None:
            return None
        retrieval = Retrieval(corpus, precedents.link(corpus))
        return SecondStage(retrieval, models.ranker, models.query_encoder, late=models.late)

    def _recommender(self, corpus: FetchedCorpus) -> CorpusRecommender:
        stage = self.stage(corpus)
        if stage is None:
            return CorpusRecommender(corpus, self.encoder, system="fused")
        return CorpusRecommender(corpus, self.encoder, second_stage=stage)
