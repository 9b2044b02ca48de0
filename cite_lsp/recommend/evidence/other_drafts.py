"""Features of how the writer's other drafts cite a paper, and their weights.

Writers cite many papers again from one draft to the next, and in similar words. But one library
often serves all drafts, and then most of what another draft cites is of no use here: being cited
there at all says little, being cited there in a similar context says a lot.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cache
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.library.entries import Entry
from cite_lsp.library.match.dedupe import SameWork
from cite_lsp.paper import Paper
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.ranker import read_weights
from cite_lsp.recommend.base.word_overlap import Checksums, WordSimilarity, checksums
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import WordHashes

MODEL = "other-drafts"
FEATURES = ("cited", "alike", "placed")
"""cited: 1. alike: the greatest word similarity to a sentence that cites the paper, 0 to 1. placed:
the greatest cosine between the query vector and a context that cites it, less `USUAL_COSINE`; 0
where that is not known. All three are 0 for papers that no other draft cites."""
USUAL_COSINE = 0.4
"""The average cosine of a context and the nearest other context that cites the same paper."""


@frozen(eq=False)
class CitingDraft:
    """The citations of a draft, at k places.

    papers: what it cites. cites: for each place the indexes of the papers cited there. words: the
    checksums of the words of its sentence. vectors: those of the query encoder, (k, d), or (0, 0)
    without one. encoder_fingerprint: that of this encoder. near: the words of its near window, as
    word indexes hash them. root: the main file. year: when it was last stored, 0 if not known.
    """

    title: str
    papers: tuple[Paper, ...]
    cites: tuple[NDArray[np.integer], ...]
    words: tuple[Checksums, ...]
    vectors: Vectors
    encoder_fingerprint: str = ""
    near: tuple[WordHashes, ...] = ()
    root: Path = Path()
    year: int = 0


@frozen(eq=False)
class OtherDraftEvidence:
    """How other drafts cite n papers, compared with one context.

    features: `FEATURES` of each paper, shape (n, 3). draft: the index of the draft with the most
    similar place that cites the paper, -1 if there is none, shape (n,).
    """

    features: NDArray[np.float32]
    draft: Rows


class OtherDraftCitations:
    """The citations of several drafts: w papers, at k places. Safe to share."""

    def __init__(self, drafts: Sequence[CitingDraft]) -> None:
        """Number the papers of the drafts; records with the same title key are the same paper."""
        self.titles = tuple(draft.title for draft in drafts)
        index_of: dict[int, int] = {}
        papers: list[Paper] = []
        pairs: list[tuple[int, int]] = []
        context = 0
        for draft in drafts:
            own_papers = [
                index_of.setdefault(title_key(paper), len(index_of)) for paper in draft.papers
            ]
            for paper, index in zip(draft.papers, own_papers, strict=True):
                if index == len(papers):
                    papers.append(paper)
            for cited in draft.cites:
                pairs += [(context, own_papers[index]) for index in cited.tolist()]
                context += 1
        self.papers = tuple(papers)
        self._size = len(papers)
        self._context, self._paper = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        self._draft = np.repeat(np.arange(len(drafts)), [len(draft.words) for draft in drafts])
        self._word_similarity = WordSimilarity([words for draft in drafts for words in draft.words])
        self._drafts = drafts
        self._vectors: dict[str, tuple[Vectors, NDArray[np.bool_]]] = {}

    def in_library(self, entries: Sequence[Entry]) -> OtherDraftCitations:
        """Return the same for the papers of a library; takes a while for a large one."""
        matches = SameWork(entries)
        row_of = {id(entry): row for row, entry in enumerate(entries)}
        entries_matched = (matches.find(paper) for paper in self.papers)
        rows = [-1 if entry is None else row_of[id(entry)] for entry in entries_matched]
        return self.at_rows(np.array(rows, dtype=np.int64), len(entries))

    def at_rows(self, rows: Rows, size: int) -> OtherDraftCitations:
        """Return the same for `size` papers, of which the w papers are at `rows`, -1 for none.

        Two records of a paper may be one of them.
        """
        citations = copy(self)
        present = np.flatnonzero(rows[self._paper] >= 0)
        citations._context, citations._paper = self._context[present], rows[self._paper[present]]
        citations._size = size
        return citations

    def evidence(
        self, sentence: str, query_vector: Column | None, encoder_fingerprint: str
    ) -> OtherDraftEvidence:
        """Return the evidence for each paper in a context; 0 for those that no draft cites.

        `query_vector` is that of a query encoder, None without one, `encoder_fingerprint` the
        fingerprint of that encoder.
        """
        similarity = self._word_similarity.to(checksums(sentence))
        count = self._size
        greatest = np.zeros(count, dtype=np.float32)
        np.maximum.at(greatest, self._paper, similarity[self._context])
        nearest = np.full(count, -np.inf, dtype=np.float32)
        if query_vector is not None:
            vectors, has_vector = self._vectors_by(encoder_fingerprint, len(query_vector))
            cosines = np.where(has_vector, vectors @ query_vector, -np.inf)
            np.maximum.at(nearest, self._paper, cosines[self._context])
        # 0 where unknown: neither for nor against the paper
        nearest = np.where(np.isfinite(nearest), nearest - USUAL_COSINE, 0.0)
        draft = np.full(count, -1, dtype=np.int64)
        # Ascending: the most similar place is written last.
        order = np.argsort(similarity[self._context], kind="stable")
        draft[self._paper[order]] = self._draft[self._context[order]]
        features = np.stack([draft >= 0, greatest, nearest], axis=1)
        return OtherDraftEvidence(features.astype(np.float32), draft)

    def _vectors_by(
        self, encoder_fingerprint: str, dimensions: int
    ) -> tuple[Vectors, NDArray[np.bool_]]:
        """Return the vectors of the places, (k, d), and which of them are known, (k,)."""
        if encoder_fingerprint not in self._vectors:
            vectors, has_vectors = [], []
            for draft in self._drafts:
                shape = len(draft.words), dimensions
                same_encoder = draft.encoder_fingerprint == encoder_fingerprint
                has_vectors.append(same_encoder and draft.vectors.shape == shape)
                vectors.append(
                    draft.vectors if has_vectors[-1] else np.zeros(shape, dtype=np.float32)
                )
            self._vectors[encoder_fingerprint] = (
                np.concatenate(vectors),
                np.array(has_vectors)[self._draft],
            )
        return self._vectors[encoder_fingerprint]


@cache
def shipped_weights() -> Column:
    """Return the weights of `FEATURES` in the logit of a paper, shape (3,).

    Raises:
        RankerError: they cannot be read.
    """
    return read_weights(shipped_model(MODEL), FEATURES)
