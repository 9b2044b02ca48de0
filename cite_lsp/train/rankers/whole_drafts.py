"""What the ranking of references learns from: papers and drafts without some of what they cite.

Of a paper, title, abstract, authors and year are known, and what older papers cite: its own list
and those of its year and later are not. Half of the papers cite nothing yet, the others some of
their references. Of a draft (`evaluate/tasks/draft_references.py`) the whole text is known, but no
citations of others.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.reference_lists import ReferenceList
from cite_lsp.encode.encoder import Encoder
from cite_lsp.evaluate.tasks.draft_references import DraftPool, HalvedDraft
from cite_lsp.evaluate.tasks.global_recommendation import known_citations
from cite_lsp.evaluate.tasks.local import candidates
from cite_lsp.recommend.corpus.corpus_papers import CorpusPapers
from cite_lsp.recommend.references.draft_text import (
    DraftQuery,
    DraftText,
    SectionPassage,
    query_of,
    text_of_context,
)
from cite_lsp.recommend.references.evidence import PLACE, DraftCandidates, gather
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.train.rankers.groups import Group, choose_rows

CITED = (0.2, 0.8)
"""The least and the greatest share of its references that a paper which cites some has."""
COLD = 0.5
"""Share of the papers that cite nothing yet."""
WITHOUT_ENCODER = 0.1
"""Share of papers and drafts that are seen without vectors."""
HARD_ORDERS = (
    *("summary_words", "summary_cosine", "passage_cosine", "passages_words"),
    *("cited_words", "cited_centre", "own_authors"),
    *("near_sharp", "near_votes_damped", "feedback", "own_votes", "together", "walk"),
)
NEGATIVES_HARD, NEGATIVES_RANDOM = 40, 200
"""Papers to learn from beside those cited: the best of each simple order, and by chance."""
PASSAGES = 8
"""Passages of a paper that are read."""


@frozen
class PartialDraft:
    """A paper, its list, the passages of its text, and which of its references it has already."""

    row: LabelledContext
    cited: tuple[str, ...] = ()
    passages: tuple[SectionPassage, ...] = ()


class PaperLists:
    """The lists of references of the papers of a corpus, and what is known of each without it."""

    def __init__(
        self, corpus: CorpusIndex, lists: Sequence[ReferenceList], encoder: Encoder
    ) -> None:
        """Take the papers and the lists that make their graph."""
        self.corpus, self._encoder = corpus, encoder
        self._source = CorpusPapers(corpus)
        self.graph = known_citations(lists, corpus)

    def group(self, paper: PartialDraft, rng: random.Random | None = None) -> Group | None:
        """Return features and relevance of the candidates of a paper, None where none is right.

        With `rng` for training: some candidates stand for all, some papers lack vectors.
        """
        row, row_of = paper.row, self.corpus.row_of
        draft_row = row_of.get(row.citing_id, -1)
        authors = self.corpus.paper(draft_row).authors if draft_row >= 0 else ()
        text = evolve(text_of_context(row.context, authors), passages=paper.passages)
        cited = [row_of[name] for name in paper.cited if name in row_of]
        encoder = self._encoder if rng is None or rng.random() >= WITHOUT_ENCODER else None
        query = query_of(text, encoder, cited, self.graph, draft_row=draft_row)
        if text.year:  # what came out beside it is as unknown to its authors as what came later
            older = np.asarray(
                query.known_documents * (self.graph.years < text.year), dtype=np.float32
            )
            query = evolve(query, known_documents=older)
        allowed = candidates(self.corpus, row, "cited")
        gathered = gather(self._source, self.graph, query, allowed=allowed)
        relevant = [
            row_of[name] for name in row.cited if name in row_of and name not in paper.cited
        ]
        return _group(gathered, np.array(relevant, dtype=np.int64), rng)


def partial_draft(
    row: LabelledContext, rng: random.Random, passages: tuple[SectionPassage, ...] = ()
) -> PartialDraft:
    """Return a paper that cites nothing yet, or some of what it will."""
    if rng.random() < COLD or len(row.cited) < 2:
        return PartialDraft(row, (), passages)
    count = round(rng.uniform(*CITED) * len(row.cited))
    count = min(max(count, 1), len(row.cited) - 1)
    return PartialDraft(row, tuple(rng.sample(row.cited, count)), passages)


def passages_of(contexts: Sequence[LabelledContext]) -> tuple[SectionPassage, ...]:
    """Return passages of a paper: what stands around some of its markers, spread evenly."""
    texts = [
        SectionPassage(row.context.section_title, f"{row.context.left} {row.context.right}".strip())
        for row in contexts
    ]
    if len(texts) <= PASSAGES:
        return tuple(texts)
    return tuple(texts[place * len(texts) // PASSAGES] for place in range(PASSAGES))


class HalvedDrafts:
    """Drafts without half of their references, and the pool of what all of them cite."""

    def __init__(self, drafts: Sequence[HalvedDraft], encoder: Encoder) -> None:
        """Index and encode the papers that the drafts cite."""
        self._pool = DraftPool([evolve(draft, library_papers=()) for draft in drafts], encoder)
        self._encoder = encoder

    def group(self, draft: HalvedDraft, rng: random.Random | None = None) -> Group | None:
        """Return features and relevance of the candidates of a draft; see `PaperLists.group`."""
        pool = self._pool
        encoder = self._encoder if rng is None or rng.random() >= WITHOUT_ENCODER else None
        text = draft.text if rng is None else _some_text(draft.text, rng)
        query: DraftQuery = query_of(text, encoder, pool.rows(draft.still_cited).tolist())
        gathered = gather(pool.source, None, query, allowed=pool.allowed(draft))
        return _group(gathered, pool.rows(draft.removed), rng)


def _some_text(text: DraftText, rng: random.Random) -> DraftText:
    """Return what a draft says when it is written: all of it, or a part, or title and abstract."""
    count = rng.choice((len(text.passages), len(text.passages), len(text.passages) // 2, 0))
    return evolve(text, passages=text.passages[:count])


def _group(gathered: DraftCandidates, relevant: Rows, rng: random.Random | None) -> Group | None:
    relevance = np.isin(gathered.rows, relevant).astype(np.int8)
    if not relevance.any():
        return None
    if rng is None:
        return gathered.features, relevance
    columns = (gathered.features[:, PLACE[name]] for name in HARD_ORDERS)
    orders = filter(np.any, columns)
    rows = choose_rows(relevance, orders, NEGATIVES_HARD, NEGATIVES_RANDOM, rng)
    return gathered.features[rows], relevance[rows]
