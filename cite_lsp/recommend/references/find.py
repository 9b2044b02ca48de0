"""The references that a draft lacks, of the writer's library and of the corpora on this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from attrs import evolve, frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Vectors, unit
from cite_lsp.library.entries import Entry
from cite_lsp.paper import Paper, joined_title
from cite_lsp.project.citations import cited_keys
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.base.recommendation import CitedFor, Reason, Recommendation
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.recommend.corpus.corpus_papers import CorpusPapers
from cite_lsp.recommend.corpus.joint import each_once
from cite_lsp.recommend.corpus.registry import Corpus
from cite_lsp.recommend.evidence.corpus_precedents import shipped_precedents
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.missing.gaps import Progress
from cite_lsp.recommend.published.submodular import Weights, select
from cite_lsp.recommend.references.citation_graph import CitationGraph, graph_of_corpus
from cite_lsp.recommend.references.draft_text import DraftText, text_of_draft
from cite_lsp.recommend.references.groups import topics, word_vectors
from cite_lsp.recommend.references.missing_references import (
    Completeness,
    DraftReferences,
    MissingReference,
    ReferenceGroup,
    completeness_of,
)
from cite_lsp.recommend.references.places import places_for
from cite_lsp.recommend.references.ranker import RankedPapers, rank_missing
from cite_lsp.recommend.references.reasons import beside_cited, reasons_for
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.search.vectors.vector_index import SearchIndexError

if TYPE_CHECKING:
    from cite_lsp.recommend.engine import DraftRecommender

log = logging.getLogger(__name__)

LIMIT = 20
"""Papers for a draft, unless another number is asked for."""
CHOSEN_FROM = 3
"""How many times as many the list is chosen from."""
SELECTION = Weights(coverage=0.1, diversity=0.02, parts=0.1)
"""What coverage and diversity of a list count beside the likelihood of its papers. More diversity
makes lists of other subjects, and costs a tenth of the recall among the first 20."""


@frozen(eq=False)
class _Candidate:
    """A paper that was found, its vector if it has one, and the cited keys that stand beside it."""

    recommendation: Recommendation
    beside: frozenset[str] = frozenset()


@frozen(eq=False)
class _Cited:
    """What a draft cites: its entries by key, and the titles of their papers."""

    entries: dict[str, Entry]
    titles: frozenset[str]


def find_references(
    recommender: DraftRecommender,
    draft: Draft,
    *,
    limit: int = LIMIT,
    cancelled: Cancel | None = None,
    progress: Progress | None = None,
) -> DraftReferences:
    """Return up to `limit` papers that a prepared draft as a whole should cite and does not.

    Each has a reason that can be named.

    Raises:
        Cancelled: `cancelled` returned true.
        RankerError, SearchIndexError: a model that ships, or a corpus, is damaged.
    """
    corpora = recommender.corpora.opened()
    steps = len(corpora) + 3
    report = progress or (lambda done, total: None)
    text, cited = text_of_draft(draft), _cited(draft)
    report(0, steps)
    from_library, looked_at = _in_library(recommender, draft, text, cited, limit, cancelled)
    completeness = Completeness()
    lists = [from_library]
    for number, corpus in enumerate(corpora):
        report(1 + number, steps)
        stop_if(cancelled)
        search = _CorpusSearch(recommender, draft, cited, corpus)
        from_corpus = search.find(text, limit, cancelled)
        lists.append(from_corpus)
        looked_at += len(corpus.index)
        common = search.completeness()
        completeness = max(completeness, common, key=lambda counted: counted.of)
    report(steps - 2, steps)
    candidates = _choose(recommender, lists, limit, cancelled)
    report(steps - 1, steps)
    placed = _placed(recommender, draft, candidates, cancelled)
    groups = _grouped(recommender, placed, cancelled)
    report(steps, steps)
    return DraftReferences(tuple(groups), completeness, looked_at)


def _cited(draft: Draft) -> _Cited:
    entries = (draft.library.get(key) for key in cited_keys(draft))
    by_key = {entry.key: entry for entry in entries if entry is not None}
    titles = (joined_title(entry.paper.title) for entry in by_key.values())
    draft_title = joined_title(draft.document.title)
    return _Cited(by_key, frozenset(filter(None, (*titles, draft_title))))


def _in_library(
    recommender: DraftRecommender,
    draft: Draft,
    text: DraftText,
    cited: _Cited,
    limit: int,
    cancelled: Cancel | None,
) -> tuple[list[_Candidate], int]:
    """Return the entries that the draft does not cite, best first, and how many there are."""
    pool = recommender.pool(draft.library)
    allowed = np.ones(len(pool), dtype=bool)
    rows = np.array(pool.rows(list(cited.entries)), dtype=np.int64)
    allowed[rows] = False
    allowed[pool.uncitable] = False
    if not allowed.any():
        return [], 0
    source = LibraryPapers(pool)
    ranked = rank_missing(
        source,
        text,
        rows,
        encoder=recommender.encoder,
        limit=CHOSEN_FROM * limit,
        allowed=allowed,
        cancelled=cancelled,
    )
    candidates = []
    for number, row in enumerate(ranked.rows.tolist()):
        paper, entry = pool.papers[row], pool.entries[row]
        if paper.retracted or joined_title(paper.title) in cited.titles:
            continue
        reasons = reasons_for(
            number, ranked, source, None, lambda row: short_name(pool.papers[row])
        )
        score, language = float(ranked.scores[number]), draft.manuscript.message_language
        candidates.append(
            _Candidate(Recommendation(paper, score, entry, reasons, language=language))
        )
    return candidates, int(allowed.sum())


class _CorpusSearch:
    """The search of one corpus for a draft."""

    def __init__(
        self, recommender: DraftRecommender, draft: Draft, cited: _Cited, corpus: Corpus
    ) -> None:
        self._keys = recommender.keys
        self._draft, self._corpus, self._cited = draft, corpus, cited
        self._source = CorpusPapers(corpus.index)
        self._graph = _graph(corpus)
        self._ranked: RankedPapers | None = None
        self._key_of: dict[int, str] = {}
        for key, entry in cited.entries.items():
            for row in recommender.corpora.rows_of(corpus, [entry.paper]):
                self._key_of.setdefault(row, key)

    def find(self, text: DraftText, limit: int, cancelled: Cancel | None) -> list[_Candidate]:
        """Return the papers that the draft may lack, best first."""
        draft_row = self._corpus.row_of(Paper("", text.title)) if text.title else -1
        cited = np.array(sorted(self._key_of), dtype=np.int64)
        self._ranked = ranked = rank_missing(
            self._source,
            text,
            cited,
            graph=self._graph,
            encoder=self._corpus.recommender.encoder,
            limit=CHOSEN_FROM * limit,
            draft_row=draft_row,
            cancelled=cancelled,
        )
        candidates = []
        for number, row in enumerate(ranked.rows.tolist()):
            stop_if(cancelled)
            recommendation = self._recommendation(row, float(ranked.scores[number]))
            if recommendation is None:
                continue
            reasons = reasons_for(number, ranked, self._source, self._graph, self._name)
            together = beside_cited(row, ranked.query, self._graph) if self._graph else []
            beside = frozenset(self._key_of[cited_row] for cited_row, _ in together)
            candidates.append(_Candidate(evolve(recommendation, reasons=reasons), beside))
        return candidates

    def completeness(self) -> Completeness:
        """Return how much of what the nearest documents cite in common the draft cites."""
        if self._graph is None or self._ranked is None:
            return Completeness()
        nearest = str(len(self._ranked.near))

        def missing_at(row: int, count: int) -> Recommendation | None:
            recommendation = self._recommendation(row, 0.0)
            near = Reason("cited-by-nearest", float(count), words=(nearest,))
            return evolve(recommendation, reasons=(near,)) if recommendation else None

        return completeness_of(self._graph, self._ranked, missing_at)

    def _recommendation(self, row: int, score: float) -> Recommendation | None:
        """Return the paper of a row; None where the draft cites it after all, or never should."""
        paper = self._corpus.index.paper(row)
        if paper.retracted or joined_title(paper.title) in self._cited.titles:
            return None
        library, root = self._draft.library, self._draft.project.root
        language = self._draft.manuscript.message_language
        key = self._keys.existing_key(library, paper)
        entry = library.get(key) if key else None
        if entry is not None:
            if entry.key in self._cited.entries:
                return None
            return Recommendation(entry.paper, score, entry, language=language)
        new = Recommendation(paper, score, corpus=self._corpus.name, language=language)
        return self._keys.keyed(library, root, new)

    def _name(self, row: int) -> str:
        return short_name(self._corpus.index.paper(row))


def _graph(corpus: Corpus) -> CitationGraph | None:
    try:
        return graph_of_corpus(corpus.index, shipped_precedents())
    except (RankerError, SearchIndexError) as error:
        log.error("%s; until then no citations are known", error)
        return None


def _choose(
    recommender: DraftRecommender,
    lists: Sequence[Sequence[_Candidate]],
    limit: int,
    cancelled: Cancel | None,
) -> list[_Candidate]:
    """Return up to `limit` of all papers that were found: likely ones, which cover what they do.

    Of an entry that several sources found the surest finding counts. What no reason can be named
    for is left out: a writer could only guess why it is there.
    """
    surest: dict[str, _Candidate] = {}
    for candidate in chain.from_iterable(lists):
        key = candidate.recommendation.key
        other = surest.get(key)
        if other is None or candidate.recommendation.score > other.recommendation.score:
            surest[key] = _merged(candidate, other)
        else:
            surest[key] = _merged(other, candidate)
    explained = [candidate for candidate in surest.values() if candidate.recommendation.reasons]
    ordered = sorted(explained, key=lambda candidate: -candidate.recommendation.score)
    ordered = ordered[: CHOSEN_FROM * limit]
    once = {item.key for item in each_once([[candidate.recommendation for candidate in ordered]])}
    ordered = [candidate for candidate in ordered if candidate.recommendation.key in once]
    scores = np.array([candidate.recommendation.score for candidate in ordered], dtype=np.float32)
    vectors = _vectors(recommender, [candidate.recommendation for candidate in ordered], cancelled)
    return [ordered[place] for place in select(scores, vectors, limit, SELECTION)]


def _merged(candidate: _Candidate, other: _Candidate | None) -> _Candidate:
    """Return a finding with the reasons and neighbours of another one of the same paper."""
    if other is None:
        return candidate
    recommendation = candidate.recommendation
    kinds = {reason.kind for reason in recommendation.reasons}
    more = tuple(reason for reason in other.recommendation.reasons if reason.kind not in kinds)
    reasons = (*recommendation.reasons, *more)
    return _Candidate(evolve(recommendation, reasons=reasons), candidate.beside | other.beside)


def _vectors(
    recommender: DraftRecommender, papers: Sequence[Recommendation], cancelled: Cancel | None
) -> Vectors:
    encoder = recommender.encoder
    if encoder is None:
        return word_vectors([item.paper for item in papers])
    texts = [encoder_text(item.paper) for item in papers]
    return unit(encoder.encode(texts, cancelled=cancelled))


def _placed(
    recommender: DraftRecommender,
    draft: Draft,
    candidates: Sequence[_Candidate],
    cancelled: Cancel | None,
) -> list[MissingReference]:
    papers = [candidate.recommendation.paper for candidate in candidates]
    places = places_for(
        draft,
        papers,
        recommender.encoder,
        lambda number: candidates[number].beside,
        cancelled=cancelled,
    )
    references = []
    for candidate, place in zip(candidates, places, strict=True):
        stop_if(cancelled)
        recommendation = candidate.recommendation
        cited_for = CitedFor(place.sentence.text if place else "", draft.document.title)
        references.append(
            MissingReference(recommender.with_passages(recommendation, cited_for), place)
        )
    return references


def _grouped(
    recommender: DraftRecommender,
    references: Sequence[MissingReference],
    cancelled: Cancel | None,
) -> Iterator[ReferenceGroup]:
    if not references:
        return
    ordered = sorted(references, key=lambda item: -item.recommendation.score)
    vectors = _vectors(recommender, [item.recommendation for item in ordered], cancelled)
    for name, places in topics([item.recommendation.paper for item in ordered], vectors):
        yield ReferenceGroup(name, tuple(ordered[place] for place in places))
