"""Precedents: which documents cited which papers before, together with what, in which contexts.

A draft is compared with the contexts in which papers were cited, besides their own text: similar
contexts cite the same papers, whatever their words, and documents that cite the same papers share
others (co-citation).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.evidence.precedent_arrays import (
    Arrays,
    CitingContext,
    CitingDocument,
    as_vectors,
    build_arrays,
    context_cosines,
    read_arrays,
    unreadable,
    with_contexts,
    with_documents,
    with_papers,
    words_in,
    write_arrays,
)
from cite_lsp.search.corpus.paper_columns import take
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.word_index import ExtendedWordIndex, WordQuery
from cite_lsp.storage.array_folder import list_starts

_SIMILAR_DOCUMENTS = 100
_SIMILAR_ENOUGH = 0.3
"""Cosine of two titles from which on a document has the same subject."""
_NEAR = 0.1
"""Distance of a cosine from 1 at which a context counts 1/e of an identical one."""
_SHRINK = 5.0
"""Citations added to those of a paper before dividing by them: few citations prove little."""


@frozen
class PrecedentEvidence:
    """The evidence of precedents for each of their m papers in one context, columns of shape (m,).

    profile: cosine of the query vector and the mean vector of the contexts that cite the paper.
    alike: its greatest cosine to one of them, alike_sum: the sum of e^((cosine - 1) / `_NEAR`),
    alike_words: greatest BM25 score, alike_words_sum: sum of the BM25 scores. contexts: their
    number. citations: documents that cite the paper. together: co-citation with what the section
    cites, each citing document weighted by the brevity of its references, together_nearest:
    co-citation with the paper of the section that has most, divided by the root of that paper's
    citations. subject: documents on the draft's subject that cite the paper, by squared cosine of
    the titles, subject_nearest: the greatest cosine.
    """

    profile: Column
    alike: Column
    alike_sum: Column
    alike_words: Column
    alike_words_sum: Column
    contexts: Column
    citations: Column
    together: Column
    together_nearest: Column
    subject: Column
    subject_nearest: Column


class Precedents:
    """Citations of m papers, by n documents, in k contexts. Safe to share."""

    def __init__(
        self,
        arrays: Arrays,
        *,
        checkpoint: str,
        words: ExtendedWordIndex | None = None,
        brevity: NDArray[np.float64] | None = None,
    ) -> None:
        """Take the arrays that `build` made, and the name of the weights its vectors are from.

        `words` replaces the word index of the arrays if that lacks contexts. `brevity` is the
        weight of each document in co-citation, (n,), if the arrays lack some of its references.
        """
        self.arrays = arrays
        self.checkpoint = checkpoint
        self.papers: NDArray[np.uint64] = arrays["papers"].astype(np.uint64)
        """Title keys of the papers, ascending, shape (m,)."""
        self.documents: NDArray[np.uint64] = arrays["documents"].astype(np.uint64)
        """Title keys of the documents, shape (n,)."""
        self.years: NDArray[np.int32] = arrays["years"].astype(np.int32)
        """Years of the documents, shape (n,)."""
        self._words = words if words is not None else ExtendedWordIndex(words_in(arrays))
        self.dimensions = int(arrays["vectors"].shape[1])
        """Length of the vectors, d."""
        self._context_document = arrays["context_document"].astype(np.int64)
        self._cites_starts = arrays["cites_starts"].astype(np.int64)
        self._cites = arrays["cites"].astype(np.int64)
        sizes = np.diff(self._cites_starts)
        self._citing_document = np.repeat(np.arange(len(self.documents)), sizes)
        self._brevity = 1 / np.log(2 + np.maximum(sizes, 1)) if brevity is None else brevity
        order = np.argsort(self._cites, kind="stable")
        self._cited_by = self._citing_document[order]
        self._cited_by_starts = list_starts(np.bincount(self._cites, minlength=len(self.papers)))
        self.citations: Column = np.diff(self._cited_by_starts).astype(np.float32)
        """Documents that cite each paper, shape (m,)."""
        # Pairs of a context and a paper that it cites, those of one paper side by side.
        starts = arrays["context_starts"].astype(np.int64)
        cited = arrays["context_cites"].astype(np.int64)
        order = np.argsort(cited, kind="stable")
        self._pair_context = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[order]
        self._counts = np.bincount(cited, minlength=len(self.papers))
        self._pair_starts = list_starts(self._counts)
        self._pair_paper = np.repeat(np.arange(len(self.papers)), self._counts)
        self._with_contexts = np.flatnonzero(self._counts)
        """The papers that have contexts, ascending: as a rule few of the cited papers."""

    # As a rule precedents are extended, or reduced, before any evidence of theirs is needed.

    @cached_property
    def _sums(self) -> Vectors:
        """The sums of the vectors of the contexts of each paper `_with_contexts`."""
        starts, codes = self._pair_starts[self._with_contexts], self.arrays["vectors"]
        sums = np.add.reduceat(codes[self._pair_context], starts, axis=0, dtype=np.int32)
        return as_vectors(sums)

    @cached_property
    def _lengths(self) -> Column:
        lengths: Column = np.linalg.norm(self._sums, axis=1).astype(np.float32)
        return lengths

    @classmethod
    def build(
        cls,
        documents: Sequence[CitingDocument],
        contexts: Sequence[CitingContext],
        vectors: Vectors,
        *,
        checkpoint: str,
    ) -> Precedents:
        """Build precedents; `document` of a context is its index in `documents`.

        `vectors` are those of the contexts, (k, d), each by a query encoder that was not trained on
        it; `checkpoint` names the weights of the encoder of papers.
        """
        arrays = build_arrays(documents, contexts, vectors)
        return cls(arrays, checkpoint=checkpoint)

    def extended(
        self,
        documents: NDArray[np.uint64],
        years: NDArray[np.int32],
        starts: NDArray[np.int64],
        cites: NDArray[np.uint64],
    ) -> Precedents:
        """Return these precedents with further documents, without contexts.

        Args:
            documents: title keys, distinct, shape (n,); those that are here already are left out.
            years: their years, 0 where not known, shape (n,).
            starts: where the references of each start, and the end of the last, shape (n + 1,).
            cites: title keys of the papers cited.
        """
        new = np.flatnonzero(~np.isin(documents, self.documents))
        places, own_starts = take(starts, new)
        arrays = with_documents(self.arrays, documents[new], years[new], own_starts, cites[places])
        return Precedents(arrays, checkpoint=self.checkpoint, words=self._words)

    def joined(
        self,
        documents: Sequence[CitingDocument],
        contexts: Sequence[CitingContext],
        vectors: Vectors,
    ) -> Precedents:
        """Return these precedents with further documents, behind the others, and their contexts.

        As in `build`, the `document` of a context is its index in `documents`.
        """
        arrays = with_documents(
            self.arrays,
            np.array([document.key for document in documents], dtype=np.uint64),
            np.array([document.year for document in documents], dtype=np.int32),
            list_starts([len(document.cited) for document in documents]),
            np.array([key for document in documents for key in document.cited], dtype=np.uint64),
        )
        first = len(self.documents)
        joined = Precedents(arrays, checkpoint=self.checkpoint, words=self._words)
        return joined.with_contexts(
            [evolve(context, document=context.document + first) for context in contexts], vectors
        )

    def with_contexts(self, contexts: Sequence[CitingContext], vectors: Vectors) -> Precedents:
        """Return these precedents with further contexts, behind the others.

        The `document` of a context is an index of these documents, and its papers are among these
        papers. Document frequencies of words remain those of the contexts that `build` indexed. The
        result cannot be saved.
        """
        arrays = with_contexts(self.arrays, contexts, vectors)
        words = self._words.extended([context.near for context in contexts])
        return Precedents(arrays, checkpoint=self.checkpoint, words=words)

    def only(self, papers: Rows) -> Precedents:
        """Return these precedents for some of the papers alone, by index, ascending.

        Their evidence takes less time to compute and is the same, for a section that cites nothing
        else. The result cannot be extended, nor saved.
        """
        arrays, contexts = with_papers(self.arrays, papers)
        words = self._words.only(contexts)
        return Precedents(arrays, checkpoint=self.checkpoint, words=words, brevity=self._brevity)

    @classmethod
    def open(cls, path: Path) -> Precedents:
        """Read saved precedents.

        Raises:
            RankerError: the file is missing, cut off or of another kind.
        """
        arrays, checkpoint = read_arrays(path)
        with unreadable(path):
            return cls(arrays, checkpoint=checkpoint)

    def save(self, path: Path) -> None:
        """Write the precedents to a file.

        Raises:
            OSError: it cannot be written.
        """
        write_arrays(self.arrays, self.checkpoint, path)

    def __len__(self) -> int:
        return len(self.papers)

    @property
    def contexts(self) -> int:
        """How many contexts there are, k."""
        return len(self._context_document)

    def evidence(
        self,
        query_vector: Column,
        text: WordQuery,
        *,
        cited: Sequence[int] = (),
        subject: Column | None = None,
        without: int = -1,
    ) -> PrecedentEvidence:
        """Return the evidence for each paper in a context.

        Args:
            query_vector: the query encoder's vector of the context, shape (dimensions,).
            text: the near window, as a text or as weighted words.
            cited: the papers that the section cites, as indexes of papers.
            subject: cosine of each document's title and the draft's, shape (n,).
            without: a document to leave out, such as the one that is trained on.
        """
        cosines = context_cosines(self.arrays, query_vector)
        word_scores = self._words.scores(text)
        counts, citations = self._counts, self.citations
        dots = np.zeros(len(self), dtype=np.float32)
        lengths = np.zeros(len(self), dtype=np.float32)
        dots[self._with_contexts], lengths[self._with_contexts] = (
            self._sums @ query_vector,
            self._lengths,
        )
        if without >= 0:
            own_contexts = np.flatnonzero(self._context_document == without)
            cosines[own_contexts], word_scores[own_contexts] = -np.inf, 0.0
            counts, citations = counts.copy(), citations.copy()
            citations[self._cited_papers(without)] -= 1
            papers, sums, fewer_contexts = self._less(own_contexts)
            counts[papers] = fewer_contexts
            dots[papers], lengths[papers] = sums @ query_vector, np.linalg.norm(sums, axis=1)
        together, together_nearest = self._together(cited, without)
        on_subject, subject_nearest = self._on_subject(subject, without)
        columns = (
            np.where(counts > 0, dots / np.maximum(lengths, 1e-6), 0.0),
            np.maximum(self._greatest(cosines[self._pair_context]), 0.0),
            _grouped_sums(np.exp((cosines - 1) / _NEAR)[self._pair_context], self._pair_starts),
            self._greatest(word_scores[self._pair_context]),
            _grouped_sums(word_scores[self._pair_context], self._pair_starts),
            counts,
            citations,
            together,
            together_nearest,
            on_subject,
            subject_nearest,
        )
        return PrecedentEvidence(*(_column(column) for column in columns))

    def cited_beside(self, cited: Sequence[int]) -> Column:
        """Return the co-citation of each paper with one of the cited papers, shape (m,).

        `cited` are indexes of papers; the one with the most co-citation counts
        (`together_nearest`).
        """
        return self._together(cited, -1)[1]

    def means(self, papers: Rows, without: int = -1) -> Vectors:
        """Return the mean vector of the contexts of each paper, (r, d); 0 without contexts.

        `papers` are indexes of papers, -1 for unknown ones; `without` is a document to leave out.
        """
        means = np.zeros((len(papers), self.dimensions), dtype=np.float32)
        positions = np.flatnonzero((papers >= 0) & (self._counts[papers] > 0))
        known_papers = papers[positions]
        means[positions] = self._sums[np.searchsorted(self._with_contexts, known_papers)]
        counts = self._counts[known_papers]
        if without >= 0:
            contexts = np.flatnonzero(self._context_document == without)
            papers_less, sums, fewer = self._less(contexts)
            place = {int(paper): number for number, paper in enumerate(papers_less)}
            for number, paper in enumerate(known_papers.tolist()):
                if paper in place:
                    means[positions[number]] = sums[place[paper]]
                    counts[number] = fewer[place[paper]]
        means[positions[counts == 0]] = 0.0
        means[positions] /= np.maximum(counts, 1)[:, None]
        return means

    def _less(self, contexts: Rows) -> tuple[Rows, Vectors, NDArray[np.int64]]:
        """Return the papers that `contexts` cite, their sums and counts without those."""
        pairs = np.flatnonzero(np.isin(self._pair_context, contexts))
        papers, place = np.unique(self._pair_paper[pairs], return_inverse=True)
        left = self._sums[np.searchsorted(self._with_contexts, papers)]
        counts = self._counts[papers]
        np.subtract.at(left, place, as_vectors(self.arrays["vectors"][self._pair_context[pairs]]))
        np.subtract.at(counts, place, 1)
        return papers, left, counts

    def _cited_papers(self, document: int) -> Rows:
        return self._cites[self._cites_starts[document] : self._cites_starts[document + 1]]

    def _together(self, cited: Sequence[int], without: int) -> tuple[Column, Column]:
        """Return the co-citation of each paper with the cited ones: in total, with the nearest."""
        total = np.zeros(len(self), dtype=np.float32)
        nearest = np.zeros(len(self), dtype=np.float32)
        for paper in dict.fromkeys(cited):
            citing = self._cited_by[self._cited_by_starts[paper] : self._cited_by_starts[paper + 1]]
            citing = citing[citing != without]
            if not len(citing):
                continue
            places, starts = take(self._cites_starts, citing)
            weights = np.repeat(self._brevity[citing], np.diff(starts))
            beside = np.bincount(self._cites[places], weights, minlength=len(self))
            beside[paper] = 0.0
            total += beside
            nearest = np.maximum(nearest, beside / np.sqrt(len(citing)))
        return total, nearest

    def _on_subject(self, subject: Column | None, without: int) -> tuple[Column, Column]:
        """Return the citations by documents on the subject, and the greatest title cosine."""
        if subject is None or not len(subject):
            zeros = np.zeros(len(self), dtype=np.float32)
            return zeros, zeros
        subject = subject.copy()
        if without >= 0:
            subject[without] = 0.0
        count = min(_SIMILAR_DOCUMENTS, len(subject))
        near = np.argpartition(-subject, count - 1)[:count]
        near = near[subject[near] > _SIMILAR_ENOUGH]
        places, starts = take(self._cites_starts, near)
        papers = self._cites[places]
        weights = np.repeat(subject[near], np.diff(starts))
        closest = np.zeros(len(self), dtype=np.float32)
        np.maximum.at(closest, papers, weights)
        return _column(np.bincount(papers, weights**2, minlength=len(self))), closest

    def _greatest(self, values: Column) -> Column:
        """Return the greatest value of each paper's pairs, 0 if it has none."""
        result = np.zeros(len(self), dtype=np.float32)
        present = np.flatnonzero(self._counts)
        if len(present):
            result[present] = np.maximum.reduceat(values, self._pair_starts[present])
        return result


def damped(figure: Column, citations: Column) -> Column:
    """Divide a column by the root of the citations: what is cited everywhere proves less."""
    return np.asarray(figure / np.sqrt(citations + _SHRINK), dtype=np.float32)


def _column(values: NDArray[np.generic]) -> Column:
    return np.asarray(values, dtype=np.float32)


def _grouped_sums(values: NDArray[np.floating], starts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Sum rows that stand side by side, shape (p, …) to (groups, …)."""
    result = np.zeros((len(starts) - 1, *values.shape[1:]), dtype=np.float32)
    present = np.flatnonzero(np.diff(starts))
    if len(present):
        result[present] = np.add.reduceat(values, starts[present], axis=0)
    return result
