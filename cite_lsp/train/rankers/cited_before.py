"""Recipe `cited-before`: how much it weighs in a library how others cited its papers before.

Documents are laid out as drafts (`train/data/simulated_drafts.py`), and six weights are fitted to
what precedents say of the papers of their libraries, beside what the ranker that ships says.
Neither it nor the precedents may have seen the documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.paper import Paper
from cite_lsp.recommend.evidence.cited_before import FEATURES, MODEL, CitedBefore, title_keys
from cite_lsp.recommend.evidence.corpus_precedents import shipped_precedents
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.train.data.simulated_drafts import documents_citing, laid_out, papers_of
from cite_lsp.train.rankers.encoders import DraftEncoders
from cite_lsp.train.rankers.evidence_weights import (
    MINIMUM_PAPERS,
    EvidenceModel,
    MarkerQuestion,
    markers_in,
    shipped_encoders,
    write_model,
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
    ask = partial(
        rank_markers,
        encoders=shipped_encoders(),
        papers=papers,
        precedents=shipped_precedents(),
        seed=job.seed,
    )
    learned = ask(contexts.train, progress=partial(job.progress, "drafts, learned from"))
    held_out = ask(contexts.dev, progress=partial(job.progress, "drafts, measured on"))
    return write_model(job, WEIGHTS, learned, held_out)


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
    drafts = documents_citing(rows, papers, MINIMUM_PAPERS)
    if not drafts:
        raise TrainingError(
            f"no document cites {MINIMUM_PAPERS} of the papers; give contexts of more documents"
        )

    questions: list[MarkerQuestion] = []
    for document, library, rng in laid_out(
        drafts, papers, papers_of(rows, papers), encoders.papers, seed=seed, progress=progress
    ):
        before = CitedBefore(precedents, title_keys(library.papers))
        for marker in markers_in(document, library, encoders, rng):
            place, vector = marker.place, marker.vector
            times = place.columns["times"]
            features = before.features(place.context, place.query, library, vector, times)
            questions.append(marker.question(features))
    return questions
