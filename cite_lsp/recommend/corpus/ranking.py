"""Papers of a corpus as they are ranked: candidates, their probabilities, and their reasons."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.ranker import softmax
from cite_lsp.recommend.base.recommendation import Reason, Recommendation
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.recommend.evidence.draft_versions import DraftVersions
from cite_lsp.recommend.library.reasons import (
    CITED_OFTEN,
    SIMILAR_PAPERS,
    SIMILAR_SENTENCE,
    shared_words,
)
from cite_lsp.recommend.query.query import sentence_of
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.vector_index import Rows

RANKED = 1000
"""Papers that are ranked for a context, whatever is typed."""
WEIGHT_OF_CORPUS = 2.3
"""The logarithm of the sum of e^logit in a large corpus, exceeded in nineteen of twenty contexts
(231,226 papers, 1,492 development contexts: the fifth percentile is 2.30, the median 4.24)."""


def probabilities(logits: Column) -> Column:
    """Return the probabilities of candidates from the logits of all, shape (r,).

    In a small corpus they may be small for all: a paper is not cited for being the only one.
    """
    return softmax(logits, rest=WEIGHT_OF_CORPUS)


@frozen
class Candidate:
    """A paper of the corpus with its score and the figures for its reasons (NaN if unknown).

    similarity: greatest cosine to the context, NaN if it is no reason. nearest: greatest cosine to
    a paper that the section cites. citations: known documents that cite it. place: its rank by
    similarity, 0 if it is not among the first. logit: by what it compares with papers of other
    corpora, NaN where nothing does. method: what ranked it, and what it says for it.
    """

    row: int
    score: float
    similarity: float
    nearest: float
    citations: float = math.nan
    place: int = 0
    logit: float = math.nan
    method: str = "default"
    reasons: tuple[Reason, ...] = ()


def candidates_of(*figures: NDArray[np.generic]) -> list[Candidate]:
    """Return candidates from columns in the order of their fields, each of shape (r,)."""
    return [
        Candidate(*values) for values in zip(*(figure.tolist() for figure in figures), strict=True)
    ]


class CorpusReasons:
    """Finds the reasons to cite papers of a corpus. Safe to share."""

    def __init__(self, corpus: CorpusView, drafts: DraftVersions) -> None:
        """`drafts` are those of the writer: that another of them cites a paper is a reason."""
        self._corpus = corpus
        self._version = {draft.root: number for number, draft in drafts.numbered()}
        self._cited_in: dict[int, list[tuple[int, str]]] = {}
        for number, draft in drafts.numbered():
            for work in draft.papers:
                self._cited_in.setdefault(title_key(work), []).append((number, draft.title))

    def explained(
        self,
        candidates: Iterable[Candidate],
        context: Context,
        cited: Collection[int] = (),
        draft: Path | None = None,
    ) -> Iterator[Recommendation]:
        """Return candidates as recommendations, with the reasons for each.

        `cited` are the rows that the section already cites, `draft` is the main file of the draft.
        """
        sentence, language = sentence_of(context), context.message_language
        section = np.array(list(cited), dtype=np.int64)
        vectors = self._corpus.vectors.vectors(section)
        for candidate in candidates:
            paper = self._corpus.paper(candidate.row)
            reasons = list(candidate.reasons)
            if candidate.similarity >= SIMILAR_SENTENCE:  # NaN, without an encoder, never is
                reasons.append(Reason("sentence", candidate.similarity, place=candidate.place))
            words = shared_words(paper, sentence)
            if words:
                reasons.append(Reason("words", float(len(words)), words=words))
            if candidate.nearest >= SIMILAR_PAPERS:
                beside = self._nearest_cited(candidate.row, section, vectors)
                if beside:
                    reasons.append(Reason("co-cited", candidate.nearest, papers=(beside,)))
            if candidate.citations >= CITED_OFTEN:
                reasons.append(Reason("cited-by", candidate.citations))
            reasons += self._other_draft(candidate.row, draft)
            yield Recommendation(
                paper,
                candidate.score,
                None,
                tuple(reasons),
                language=language,
                method=candidate.method,
                logit=candidate.logit,
            )

    def _other_draft(self, row: int, draft: Path | None) -> Iterator[Reason]:
        """Yield the reason that another draft of the writer cites a paper, the newest one."""
        if not self._cited_in:
            return
        citing = self._cited_in.get(int(self._corpus.columns.title_keys[row]), ())
        draft_number = -1 if draft is None else self._version.get(draft, -1)
        other = next((title for number, title in citing if number != draft_number), None)
        if other is not None:
            yield Reason("other-draft", 0.0, words=(other,))

    def _nearest_cited(self, row: int, section: Rows, vectors: Vectors) -> str:
        others = section != row
        if not others.any():
            return ""
        vector = self._corpus.vectors.vectors(np.array([row], dtype=np.int64))[0]
        nearest = np.argmax(vectors[others] @ vector)
        return short_name(self._corpus.paper(int(section[others][nearest])))
