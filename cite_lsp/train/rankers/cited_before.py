"""Recipe `cited-before`: how much it weighs in a library how others cited its papers before.

Documents are laid out as drafts (`train/data/simulated_drafts.py`), and six weights are fitted to
what precedents say of the papers of their libraries, beside what the ranker that ships says.
Neither it nor the precedents may have seen the documents.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial

from cite_lsp.corpus.contexts import LabelledContext, documents
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.evidence.cited_before import FEATURES, MODEL, CitedBefore, title_keys
from cite_lsp.recommend.evidence.corpus_precedents import shipped_precedents
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.library.features import PoolFeatures
from cite_lsp.train.data.simulated_drafts import papers_of
from cite_lsp.train.rankers.encoders import DraftEncoders
from cite_lsp.train.rankers.evidence_weights import (
    MINIMUM_PAPERS,
    DocumentContexts,
    EvidenceModel,
    FeaturesAt,
    Libraries,
    MarkerQuestion,
    rank_documents,
    train,
)
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import DATA
from cite_lsp.train.run.report import Figures, Steps, TrainingError

TAKES = (*DATA, "without")
WEIGHTS = EvidenceModel(
    name=MODEL,
    features=FEATURES,
    beside="precedents",
    measured=("cited at a known place", "contexts"),
    what="""\
How much it weighs for a paper of a library how others cited it before: six weights, added to what
[library-ranker](../library-ranker/README.md) says
(`cite_lsp/recommend/evidence/cited_before.py`). How others cited stands in the precedents of
[corpus-ranker](../corpus-ranker/README.md) and in the corpora of the writer.""",
    data="""\
{markers:,} markers of {drafts} documents that the precedents do not hold: {data}.
They were laid out as drafts.""",
)


def run(job: Job) -> list[Figures]:
    """Fit the weights, write them with their card; returns what they are worth."""
    contexts = job.contexts_and_dev()
    rows = (*contexts.train, *contexts.dev)
    papers = job.papers({name for row in rows for name in row.cited})
    precedents = shipped_precedents()
    return train(
        job, contexts, partial(rank_markers, papers=papers, precedents=precedents), WEIGHTS
    )


def rank_markers(
    rows: Sequence[LabelledContext],
    encoders: DraftEncoders,
    *,
    papers: Mapping[str, Paper],
    precedents: Precedents,
    seed: int,
    progress: Steps = lambda done, total: None,
) -> list[MarkerQuestion]:
    """Lay out documents as drafts, and rank for their markers.

    Raises:
        TrainingError: none of them cites enough of the papers to make a library.
    """
    drafts = [
        document
        for document in documents(rows)
        if len(papers_of(document, papers)) >= MINIMUM_PAPERS
    ]
    if not drafts:
        raise TrainingError(
            f"no document cites {MINIMUM_PAPERS} of the papers; give contexts of more documents"
        )

    def features_in(
        document: DocumentContexts, pool: Pool, rng: random.Random
    ) -> tuple[Pool, FeaturesAt]:
        before = CitedBefore(precedents, title_keys(pool.papers))

        def features_at(place: PoolFeatures, placed: Column) -> Column:
            return before.features(place.context, place.query, pool, placed, place.columns["times"])

        return pool, features_at

    return rank_documents(
        drafts, Libraries(papers, papers_of(rows, papers)), encoders, features_in, seed, progress
    )
